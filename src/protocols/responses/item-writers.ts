import type { AnswerEvent, EventOf } from '../canonical/answer.ts'
import type { EncodeContext } from '../canonical/codec.ts'
import type { Citation, SearchPart, Tool } from '../canonical/request.ts'
import { arrayIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { encodeCitations, encodeLogprobs } from './content.ts'
import { sourcesIncluded, splitName } from './tools.ts'
import { ownItemId } from './wire.ts'

export type WriteEvent = (type: string, fields: JsonObject) => string

/** Numbers the events of a stream, from `first`. */
export function createEventWriter(first = 0): WriteEvent {
  let sequence = first
  return (type, fields) => {
    const data = JSON.stringify({ type, sequence_number: sequence++, ...fields })
    return `event: ${type}\ndata: ${data}\n\n`
  }
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

type DeltaEvent = EventOf<'text-delta' | 'refusal-delta' | 'reasoning-delta' | 'tool-call-delta'>
type EndEvent = EventOf<
  'text-end' | 'refusal-end' | 'reasoning-end' | 'tool-call-end' | 'search-end'
>

interface ItemWriter {
  begin?(): string
  delta?(event: DeltaEvent): string
  /** Ends a block. A message may have several. */
  end(event: EndEvent): string
  item(status: ItemStatus): JsonObject
}

interface ItemPlace {
  readonly item_id: string
  readonly output_index: number
}

/** Prefixes of the vendor's ids: message, reasoning, function, custom tool, search. */
type Prefix = 'msg' | 'rs' | 'fc' | 'ctc' | 'ws'

/** Writes items. An item is announced with its first text, so that none is empty. */
export function createOutputWriter({ requestId, request, body }: EncodeContext, emit: WriteEvent) {
  const done: JsonObject[] = []
  let current: { readonly prefix: Prefix; readonly writer: ItemWriter } | undefined

  function close(status: ItemStatus): string {
    if (current === undefined) return ''
    const item = current.writer.item(status)
    current = undefined
    done.push(item)
    return emit('response.output_item.done', { output_index: done.length - 1, item })
  }

  function open(prefix: Prefix, create: (place: ItemPlace) => ItemWriter): string {
    const closed = close('completed')
    const place = done.length
    const writer = create({ item_id: ownItemId(prefix, requestId, place), output_index: place })
    current = { prefix, writer }
    const fields = { output_index: place, item: writer.item('in_progress') }
    return closed + emit('response.output_item.added', fields) + (writer.begin?.() ?? '')
  }

  function need(prefix: 'msg' | 'rs'): string {
    if (current?.prefix === prefix) return ''
    const create = prefix === 'msg' ? createMessageWriter : createReasoningWriter
    return open(prefix, (place) => create(place, emit))
  }

  const end = (event: EndEvent) => current?.writer.end(event) ?? ''

  function write(event: AnswerEvent): string {
    switch (event.type) {
      case 'tool-call-start':
        return open(event.kind === 'custom' ? 'ctc' : 'fc', (place) =>
          createCallWriter(event, request.tools, place, emit),
        )
      case 'search-start':
        return open('ws', (place) => createSearchWriter(place, emit, body))
      case 'search-end':
        return end(event) + close('completed')
      case 'text-delta':
      case 'refusal-delta':
      case 'reasoning-delta': {
        if (event.text === '') return ''
        const opened = need(event.type === 'reasoning-delta' ? 'rs' : 'msg')
        return opened + (current?.writer.delta?.(event) ?? '')
      }
      case 'tool-call-delta':
        return current?.writer.delta?.(event) ?? ''
      case 'text-end':
      case 'refusal-end':
        return current?.prefix === 'msg' ? end(event) : ''
      case 'tool-call-end':
        return end(event)
      case 'reasoning-end':
        // Reasoning without text and signature is dropped.
        if (current?.prefix !== 'rs' && event.signature === undefined) return ''
        return need('rs') + end(event) + close('completed')
      default:
        return ''
    }
  }

  return {
    write,
    close,
    items: () => (current === undefined ? [...done] : [...done, current.writer.item('incomplete')]),
  }
}

interface OpenPart {
  readonly type: 'output_text' | 'refusal'
  text: string
  readonly logprobs: JsonObject[]
}

function createMessageWriter(place: ItemPlace, emit: WriteEvent): ItemWriter {
  const content: JsonObject[] = []
  let part: OpenPart | undefined

  const at = () => ({ ...place, content_index: content.length })

  return {
    delta(event) {
      const isRefusal = event.type === 'refusal-delta'
      let opened = ''
      if (part === undefined) {
        part = { type: isRefusal ? 'refusal' : 'output_text', text: '', logprobs: [] }
        opened = emit('response.content_part.added', { ...at(), part: wholePart(part, []) })
      }
      part.text += event.text
      if (isRefusal) return opened + emit('response.refusal.delta', { ...at(), delta: event.text })
      const logprobs = event.type === 'text-delta' ? encodeLogprobs(event.logprobs ?? []) : []
      part.logprobs.push(...logprobs)
      return opened + emit('response.output_text.delta', { ...at(), delta: event.text, logprobs })
    },
    end(event) {
      if (part === undefined) return ''
      const { type, text, logprobs } = part
      const citations = event.type === 'text-end' ? (event.citations ?? []) : []
      const whole = wholePart(part, citations)
      let written = ''
      if (type === 'refusal') written = emit('response.refusal.done', { ...at(), refusal: text })
      else {
        for (const [index, annotation] of arrayIn(whole, 'annotations').entries()) {
          const fields = { ...at(), annotation_index: index, annotation }
          written += emit('response.output_text.annotation.added', fields)
        }
        written += emit('response.output_text.done', { ...at(), text, logprobs })
      }
      written += emit('response.content_part.done', { ...at(), part: whole })
      content.push(whole)
      part = undefined
      return written
    },
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

/** Writes a reasoning item: its text as a one-part summary, its signature as encrypted content. */
function createReasoningWriter(place: ItemPlace, emit: WriteEvent): ItemWriter {
  const at = { ...place, summary_index: 0 }
  let text = ''
  let signature: string | undefined
  const part = () => ({ type: 'summary_text', text })

  return {
    delta(event) {
      const opened =
        text === '' ? emit('response.reasoning_summary_part.added', { ...at, part: part() }) : ''
      text += event.text
      return opened + emit('response.reasoning_summary_text.delta', { ...at, delta: event.text })
    },
    end(event) {
      if (event.type === 'reasoning-end') signature = event.signature
      if (text === '') return ''
      return (
        emit('response.reasoning_summary_text.done', { ...at, text }) +
        emit('response.reasoning_summary_part.done', { ...at, part: part() })
      )
    },
    item() {
      const summary = text === '' ? [] : [part()]
      const item = { id: place.item_id, type: 'reasoning', summary }
      return signature === undefined ? item : { ...item, encrypted_content: signature }
    },
  }
}

function createCallWriter(
  { callId, name, kind }: EventOf<'tool-call-start'>,
  tools: readonly Tool[],
  place: ItemPlace,
  emit: WriteEvent,
): ItemWriter {
  const isCustom = kind === 'custom'
  const event = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
  const type = isCustom ? 'custom_tool_call' : 'function_call'
  const names = splitName(tools, name)
  let input = ''

  const told = () => (isCustom ? { input } : { arguments: input })
  const delta = (text: string): string => {
    input += text
    return text === '' ? '' : emit(`${event}.delta`, { ...place, delta: text })
  }

  return {
    delta: ({ text }) => delta(text),
    end() {
      const rest = input === '' && !isCustom ? delta('{}') : ''
      return rest + emit(`${event}.done`, { ...place, ...told() })
    },
    item: (status) => ({ id: place.item_id, type, status, call_id: callId, ...names, ...told() }),
  }
}

/** Writes a vendor-run search. Its pages are written only for clients that ask for them. */
function createSearchWriter(place: ItemPlace, emit: WriteEvent, body: JsonObject): ItemWriter {
  const tellsSources = arrayIn(body, 'include').includes(sourcesIncluded)
  const event = (name: string) => emit(`response.web_search_call.${name}`, { ...place })
  let search: SearchPart | undefined

  return {
    begin: () => event('in_progress') + event('searching'),
    end(ended) {
      if (ended.type !== 'search-end') return ''
      search = ended.search
      return search.error === undefined ? event('completed') : ''
    },
    item(status) {
      const head = { id: place.item_id, type: 'web_search_call' }
      if (status === 'in_progress') return { ...head, status }
      const isDone = search !== undefined && search.error === undefined
      const { queries = [], results = [] } = search ?? {}
      const sources = results.map(({ url }) => ({ type: 'url', url }))
      const action = { type: 'search', query: queries[0] ?? '', queries }
      return {
        ...head,
        status: isDone ? 'completed' : 'failed',
        action: tellsSources ? { ...action, sources } : action,
      }
    },
  }
}
