import { toJsonText } from '../canonical/json-text.ts'
import type { Citation } from '../canonical/request.ts'
import { decodeLogprobs } from '../chat/answer-fields.ts'
import { arrayIn, isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotation } from './citations.ts'
import { type Blocks, endReasoning, type ItemReader, type Told } from './item-reader.ts'
import { createProgress, newInPiece, newInWhole, type Progress } from './progress.ts'

interface OpenPart {
  readonly progress: Progress
  /** Its block, while it is open. */
  block: { readonly id: string; readonly kind: 'text' | 'refusal' } | undefined
  readonly citations: Map<string, Citation>
}

/** Reads a message: each of its parts is a block of text or of a refusal. */
export function createMessageReader(blocks: Blocks): ItemReader {
  const parts = new Map<number, OpenPart>()

  const partAt = (index: number): OpenPart => {
    const part = parts.get(index) ?? {
      progress: createProgress(),
      block: undefined,
      citations: new Map(),
    }
    parts.set(index, part)
    return part
  }

  function tell({ text, isWhole, kind, index, logprobs }: Told): void {
    const part = partAt(index)
    const fresh = isWhole ? newInWhole(part.progress, text) : newInPiece(part.progress, text)
    if (fresh === '') return
    part.block ??= openBlock(kind === 'refusal' ? kind : 'text')
    const { id, kind: open } = part.block
    // Probabilities go with the tokens that they are of: with the rest of a text they would not fit.
    const fitting = fresh.length === text.length ? logprobs : undefined
    if (open === 'refusal') blocks.push({ type: 'refusal-delta', id, text: fresh })
    else blocks.push({ type: 'text-delta', id, text: fresh, logprobs: fitting })
  }

  function openBlock(kind: 'text' | 'refusal') {
    const id = blocks.nextId()
    endReasoning(blocks)
    const type = kind === 'text' ? 'text-start' : 'refusal-start'
    blocks.push({ type, id, choice: 0 })
    return { id, kind }
  }

  function cite(index: number, annotations: readonly JsonObject[]): void {
    const { citations } = partAt(index)
    for (const annotation of annotations) {
      // Told when it is found, and again with the whole part.
      citations.set(toJsonText(annotation) ?? '', decodeAnnotation(annotation))
    }
  }

  return {
    begin() {},
    tell,
    cite,
    end(item) {
      for (const [index, content] of arrayIn(item, 'content').entries()) {
        if (!isJsonObject(content)) continue
        const told = wholePart(content, index)
        if (told !== undefined) tell(told)
        cite(index, arrayIn(content, 'annotations').filter(isJsonObject))
      }
      for (const part of parts.values()) {
        const { block, citations } = part
        part.block = undefined
        if (block?.kind === 'refusal') blocks.push({ type: 'refusal-end', id: block.id })
        if (block?.kind !== 'text') continue
        const told = citations.size === 0 ? undefined : [...citations.values()]
        blocks.push({ type: 'text-end', id: block.id, citations: told })
      }
    },
  }
}

/** What a whole part of a message tells; undefined for a kind that is not known. */
export function wholePart(content: JsonObject, index: number): Told | undefined {
  const { text, refusal } = content
  if (content.type === 'refusal' && typeof refusal === 'string') {
    return { kind: 'refusal', text: refusal, isWhole: true, index }
  }
  if (typeof text !== 'string') return undefined
  const logprobs = decodeLogprobs(arrayIn(content, 'logprobs'))
  return { kind: 'text', text, isWhole: true, index, logprobs }
}
