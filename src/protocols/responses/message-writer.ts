import type { Citation, TokenLogprob } from '../canonical/request.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeCitations } from './citations.ts'
import type { WriteEvent } from './event-writer.ts'
import type { DeltaEvent, EndEvent, ItemPlace, ItemWriter } from './item-writer.ts'
import { encodeLogprobs } from './logprobs.ts'

interface OpenPart {
  readonly type: 'output_text' | 'refusal'
  text: string
  readonly logprobs: JsonObject[]
}

/** Writes a message: texts and refusals that follow each other are parts of one. */
export function createMessageWriter(place: ItemPlace, emit: WriteEvent): ItemWriter {
  const content: JsonObject[] = []
  let part: OpenPart | undefined

  const at = () => ({ ...place, content_index: content.length })

  function open(type: OpenPart['type']): string {
    part = { type, text: '', logprobs: [] }
    return emit('response.content_part.added', { ...at(), part: wholePart(part, []) })
  }

  function delta(event: DeltaEvent): string {
    const isRefusal = event.type === 'refusal-delta'
    const opened = part === undefined ? open(isRefusal ? 'refusal' : 'output_text') : ''
    if (part !== undefined) part.text += event.text
    if (isRefusal) return opened + emit('response.refusal.delta', { ...at(), delta: event.text })
    const logprobs = event.type === 'text-delta' ? tokensOf(event.logprobs) : []
    part?.logprobs.push(...logprobs)
    return opened + emit('response.output_text.delta', { ...at(), delta: event.text, logprobs })
  }

  function end(event: EndEvent): string {
    if (part === undefined) return ''
    const { type, text, logprobs } = part
    const citations = event.type === 'text-end' ? (event.citations ?? []) : []
    const whole = wholePart(part, citations)
    let written = ''
    if (type === 'refusal') written = emit('response.refusal.done', { ...at(), refusal: text })
    else {
      const annotations = encodeCitations({ type: 'text', text, citations })
      for (const [index, annotation] of annotations.entries()) {
        const fields = { ...at(), annotation_index: index, annotation }
        written += emit('response.output_text.annotation.added', fields)
      }
      written += emit('response.output_text.done', { ...at(), text, logprobs })
    }
    written += emit('response.content_part.done', { ...at(), part: whole })
    content.push(whole)
    part = undefined
    return written
  }

  return {
    delta,
    end,
    item(status) {
      const all = part === undefined ? [...content] : [...content, wholePart(part, [])]
      return { id: place.item_id, type: 'message', status, content: all, role: 'assistant' }
    },
  }
}

function wholePart({ type, text, logprobs }: OpenPart, citations: readonly Citation[]): JsonObject {
  if (type === 'refusal') return { type, refusal: text }
  return { type, annotations: encodeCitations({ type: 'text', text, citations }), logprobs, text }
}

const tokensOf = (logprobs: readonly TokenLogprob[] | undefined) => encodeLogprobs(logprobs ?? [])
