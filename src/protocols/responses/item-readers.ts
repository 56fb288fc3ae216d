import type { AnswerEvent } from '../canonical/answer.ts'
import type { DecodeContext } from '../canonical/codec.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Citation, TokenLogprob } from '../canonical/request.ts'
import { EventSink } from '../canonical/sink.ts'
import { decodeLogprobs } from '../chat/answer-fields.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotation } from './content.ts'
import { callInput, summarySeparator, textsIn } from './decode-request.ts'
import { decodeSearchCall, flatName } from './tools.ts'

/** A text of a part: the next piece, or the whole. */
export interface TextPiece {
  readonly text: string
  readonly isWhole: boolean
  readonly kind: 'text' | 'refusal' | 'summary' | 'content' | 'input'
  readonly index: number
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

/** Converts what a vendor sends of one item into events. */
export interface ItemReader {
  begin?(item: JsonObject): void
  add?(piece: TextPiece): void
  /** Annotations of a part, one by one or all. */
  cite?(index: number, annotations: readonly JsonObject[]): void
  end(item: JsonObject | undefined): void
}

/** The sink of one answer's readers. */
export class Blocks extends EventSink {
  readonly kinds = new Set<string>()
  /** Functions that end open reasoning. */
  readonly reasoning = new Set<() => void>()
  /** All call ids: clients identify calls by them. */
  readonly callIds = new Set<string>()

  /** Other blocks end open reasoning, announced or not. */
  override push(event: AnswerEvent): void {
    const { type } = event
    this.kinds.add(type)
    if (type !== 'reasoning-start' && type.endsWith('-start')) {
      for (const end of this.reasoning) end()
    }
    super.push(event)
  }
}

/** Item types that are decoded; others of vendor-run tools are never requested. */
const readers = {
  message: createMessageReader,
  reasoning: createReasoningReader,
  function_call: createCallReader,
  custom_tool_call: createCallReader,
  web_search_call: createSearchReader,
} as const
export type ItemType = keyof typeof readers

/** The type of an item; undefined for one that is not decoded. */
export function itemType({ type }: JsonObject): ItemType | undefined {
  return typeof type === 'string' && Object.hasOwn(readers, type) ? (type as ItemType) : undefined
}

export const createItemReader = (
  type: ItemType,
  blocks: Blocks,
  context: DecodeContext,
): ItemReader => readers[type](blocks, context, type)

type Progress = ReturnType<typeof createProgress>

/** How much of a text has passed: it comes in pieces, whole or both, and each character passes once (T10). */
const createProgress = () => ({ sent: 0, received: 0 })

/** The new text of a piece (none after the whole), or of the whole. */
function takeNew(progress: Progress, { text, isWhole }: TextPiece): string {
  if (isWhole) {
    const rest = text.slice(progress.sent)
    progress.sent += rest.length
    return rest
  }
  progress.received += text.length
  const extra = progress.received - progress.sent
  if (extra <= 0) return ''
  progress.sent = progress.received
  return extra >= text.length ? text : text.slice(text.length - extra)
}

const createPart = () => ({
  progress: createProgress(),
  block: undefined as { readonly id: string; readonly kind: 'text' | 'refusal' } | undefined,
  citations: new Map<string, Citation>(),
})

function createMessageReader(blocks: Blocks): Required<Omit<ItemReader, 'begin'>> {
  const parts = new Map<number, ReturnType<typeof createPart>>()
  const partAt = (index: number) => parts.getOrInsertComputed(index, createPart)

  const openBlock = (kind: 'text' | 'refusal') => ({ id: blocks.open(kind, 0), kind })

  function add(piece: TextPiece): void {
    const { text, kind, index, logprobs } = piece
    const part = partAt(index)
    const fresh = takeNew(part.progress, piece)
    if (fresh === '') return
    part.block ??= openBlock(kind === 'refusal' ? kind : 'text')
    const { id, kind: open } = part.block
    // Probabilities must match their tokens: they do not fit the rest of a text.
    const fitting = fresh.length === text.length ? logprobs : undefined
    if (open === 'refusal') blocks.push({ type: 'refusal-delta', id, text: fresh })
    else blocks.push({ type: 'text-delta', id, text: fresh, logprobs: fitting })
  }

  function cite(index: number, annotations: readonly JsonObject[]): void {
    const { citations } = partAt(index)
    for (const annotation of annotations) {
      // An annotation comes when it is found, and again with the whole part.
      citations.set(toJsonText(annotation) ?? '', decodeAnnotation(annotation))
    }
  }

  return {
    add,
    cite,
    end(item) {
      for (const [index, content] of arrayIn(item, 'content').entries()) {
        if (!isJsonObject(content)) continue
        const piece = wholePart(content, index)
        if (piece !== undefined) add(piece)
        cite(index, arrayIn(content, 'annotations').filter(isJsonObject))
      }
      for (const part of parts.values()) {
        const { block, citations } = part
        part.block = undefined
        if (block?.kind === 'refusal') blocks.push({ type: 'refusal-end', id: block.id })
        if (block?.kind !== 'text') continue
        const cited = citations.size === 0 ? undefined : [...citations.values()]
        blocks.push({ type: 'text-end', id: block.id, citations: cited })
      }
    },
  }
}

/** The text of a whole part of a message; undefined for an unknown kind. */
export function wholePart(content: JsonObject, index: number): TextPiece | undefined {
  const { text, refusal } = content
  if (content.type === 'refusal' && typeof refusal === 'string') {
    return { kind: 'refusal', text: refusal, isWhole: true, index }
  }
  if (typeof text !== 'string') return undefined
  const logprobs = decodeLogprobs(arrayIn(content, 'logprobs'))
  return { kind: 'text', text, isWhole: true, index, logprobs }
}

/** Reads a reasoning item: its summary, or else the reasoning. Text after its end begins a new block (T11). */
function createReasoningReader(blocks: Blocks): ItemReader {
  const parts = new Map<number, Progress>()
  let id: string | undefined
  let kind: TextPiece['kind'] | undefined
  let lastIndex: number | undefined
  let itemId: string | undefined
  let signature: string | undefined

  const open = (): string => {
    if (id !== undefined) return id
    id = blocks.open('reasoning', 0)
    blocks.reasoning.add(close)
    return id
  }
  const close = () => {
    if (id !== undefined) blocks.push({ type: 'reasoning-end', id, signature, itemId })
    id = undefined
    blocks.reasoning.delete(close)
  }

  function add(piece: TextPiece): void {
    const { index } = piece
    // Some vendors send the same text as its own summary: the first kind counts.
    if (kind !== undefined && kind !== piece.kind) return
    const fresh = takeNew(parts.getOrInsertComputed(index, createProgress), piece)
    if (fresh === '') return
    kind = piece.kind
    const isNext = lastIndex !== undefined && lastIndex !== index
    lastIndex = index
    const text = isNext ? summarySeparator + fresh : fresh
    blocks.push({ type: 'reasoning-delta', id: open(), text })
  }

  return {
    begin(item) {
      itemId = stringIn(item, 'id')
    },
    add,
    end(item) {
      if (item !== undefined) {
        for (const from of ['summary', 'content'] as const) {
          const texts = textsIn(item, from)
          texts.forEach((text, index) => void add({ kind: from, text, index, isWhole: true }))
        }
        itemId = stringIn(item, 'id') ?? itemId
        signature = stringIn(item, 'encrypted_content')
        if (signature !== undefined) open()
      }
      close()
    },
  }
}

/** Reads a call of a function or custom tool. Input before the name waits; a call without a name is dropped. */
function createCallReader(
  blocks: Blocks,
  { requestId, request }: DecodeContext,
  type: ItemType,
): ItemReader {
  const kind = type === 'custom_tool_call' ? 'custom' : 'function'
  const progress = createProgress()
  let id: string | undefined
  let announced: JsonObject | undefined
  let waiting = ''
  let isEnded = false

  function open(item: JsonObject): void {
    const bare = stringIn(item, 'name')
    if (id !== undefined || bare === undefined) return
    id = blocks.nextBlock()
    const given = stringIn(item, 'call_id') ?? stringIn(item, 'id')
    const isOwn = given !== undefined && !blocks.callIds.has(given)
    const callId = isOwn ? given : `call_${requestId}_${id}`
    blocks.callIds.add(callId)
    const name = flatName(request.tools, bare, stringIn(item, 'namespace'))
    blocks.push({ type: 'tool-call-start', id, choice: 0, callId, name, kind })
    pass(waiting)
  }
  function pass(text: string): void {
    if (text === '') return
    if (id === undefined) waiting += text
    else blocks.push({ type: 'tool-call-delta', id, text })
  }
  function add(piece: TextPiece): void {
    if (!isEnded) pass(takeNew(progress, piece))
  }

  return {
    begin(item) {
      announced = item
      // Without an id the call waits for the item's end, which may have it.
      if (stringIn(item, 'call_id') !== undefined) open(item)
    },
    add,
    end(item) {
      // Some vendors announce the whole call, and send nothing else.
      const whole = item ?? announced
      if (isEnded || whole === undefined) return
      open({ ...announced, ...whole })
      const input = kind === 'custom' ? whole.input : whole.arguments
      const text = progress.sent === 0 ? callInput(input, kind) : input
      if (typeof text === 'string') add({ kind: 'input', index: 0, text, isWhole: true })
      isEnded = true
      if (id !== undefined) blocks.push({ type: 'tool-call-end', id })
    },
  }
}

/** Reads a `web_search_call`. The finished item has its action: other actions than searches are dropped. */
function createSearchReader(blocks: Blocks): ItemReader {
  return {
    end(item) {
      const search = item && decodeSearchCall(item)
      if (search === undefined) return
      const id = blocks.nextBlock()
      blocks.push({ type: 'search-start', id, choice: 0 })
      blocks.push({ type: 'search-end', id, search })
    },
  }
}
