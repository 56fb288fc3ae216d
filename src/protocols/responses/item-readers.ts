import { type AnswerEvent, EventSink } from '../canonical/answer.ts'
import type { DecodeContext } from '../canonical/codec.ts'
import { toJsonText } from '../canonical/json-text.ts'
import type { Citation, TokenLogprob } from '../canonical/request.ts'
import { decodeLogprobs } from '../chat/answer-fields.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { decodeAnnotation } from './content.ts'
import { callInput, summarySeparator, textsIn } from './decode-request.ts'
import { decodeSearchCall, flatName } from './tools.ts'

/** A part's text, as a vendor sends it: the next piece, or the whole of it. */
export interface Told {
  readonly text: string
  readonly isWhole: boolean
  /** Which of the item's texts: answer and refusal, or summary and reasoning itself. */
  readonly kind: 'text' | 'refusal' | 'summary' | 'content' | 'input'
  readonly index: number
  readonly logprobs?: readonly TokenLogprob[] | undefined
}

/** Turns what a vendor sends of one item of an answer into events. */
export interface ItemReader {
  /** The item as it was announced; it may also never be. */
  begin?(item: JsonObject): void
  tell?(told: Told): void
  /** A source, or what is said of a whole part. */
  cite?(index: number, annotations: readonly JsonObject[]): void
  end(item: JsonObject | undefined): void
}

/** Where the readers of one answer put what they read. */
export class Blocks extends EventSink {
  /** Kinds of events that the answer has. */
  readonly kinds = new Set<string>()
  /** Ends of the reasoning that is open. */
  readonly reasoning = new Set<() => void>()
  /** Of all calls: clients tell them apart by it. */
  readonly callIds = new Set<string>()

  override push(event: AnswerEvent): void {
    this.kinds.add(event.type)
    super.push(event)
  }
}

/** Kinds of items that an answer is read from; others of the vendor's own tools are not asked for. */
const readers = {
  message: createMessageReader,
  reasoning: createReasoningReader,
  function_call: createCallReader,
  custom_tool_call: createCallReader,
  web_search_call: createSearchReader,
} as const
export type ItemType = keyof typeof readers

/** The kind of an item, or undefined for one that is not read. */
export function itemType({ type }: JsonObject): ItemType | undefined {
  return typeof type === 'string' && Object.hasOwn(readers, type) ? (type as ItemType) : undefined
}

/** A reader of an item of which nothing has come. */
export function createItemReader(
  type: ItemType,
  blocks: Blocks,
  context: DecodeContext,
): ItemReader {
  return readers[type](blocks, context, type)
}

/** Reasoning ends before anything else begins, whether the vendor has said so or not. */
function endReasoning({ reasoning }: Blocks): void {
  for (const end of reasoning) end()
}

/**
 * How much of a text has been passed on: it comes in pieces, whole or both, and each character goes on once
 * (T10).
 */
interface Progress {
  sent: number
  received: number
}

const createProgress = (): Progress => ({ sent: 0, received: 0 })

/** What is new in a piece (nothing, when the whole has come), or in the whole. */
function takeNew(progress: Progress, { text, isWhole }: Told): string {
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

interface OpenPart {
  readonly progress: Progress
  /** Its block, while it is open. */
  block: { readonly id: string; readonly kind: 'text' | 'refusal' } | undefined
  readonly citations: Map<string, Citation>
}

const createPart = (): OpenPart => {
  return { progress: createProgress(), block: undefined, citations: new Map() }
}

/** Reads a message: each of its parts is a block of text or of a refusal. */
function createMessageReader(blocks: Blocks): Required<Omit<ItemReader, 'begin'>> {
  const parts = new Map<number, OpenPart>()

  const partAt = (index: number) => parts.getOrInsertComputed(index, createPart)

  function openBlock(kind: 'text' | 'refusal') {
    const id = blocks.nextBlock()
    endReasoning(blocks)
    blocks.push({ type: `${kind}-start`, id, choice: 0 })
    return { id, kind }
  }

  function tell(told: Told): void {
    const { text, kind, index, logprobs } = told
    const part = partAt(index)
    const fresh = takeNew(part.progress, told)
    if (fresh === '') return
    part.block ??= openBlock(kind === 'refusal' ? kind : 'text')
    const { id, kind: open } = part.block
    // Probabilities go with the tokens that they are of: with the rest of a text they would not fit.
    const fitting = fresh.length === text.length ? logprobs : undefined
    if (open === 'refusal') blocks.push({ type: 'refusal-delta', id, text: fresh })
    else blocks.push({ type: 'text-delta', id, text: fresh, logprobs: fitting })
  }

  function cite(index: number, annotations: readonly JsonObject[]): void {
    const { citations } = partAt(index)
    for (const annotation of annotations) {
      // Told when it is found, and again with the whole part.
      citations.set(toJsonText(annotation) ?? '', decodeAnnotation(annotation))
    }
  }

  return {
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

/** The text of a whole part of a message; undefined for a kind that is not known. */
export function wholePart(content: JsonObject, index: number): Told | undefined {
  const { text, refusal } = content
  if (content.type === 'refusal' && typeof refusal === 'string') {
    return { kind: 'refusal', text: refusal, isWhole: true, index }
  }
  if (typeof text !== 'string') return undefined
  const logprobs = decodeLogprobs(arrayIn(content, 'logprobs'))
  return { kind: 'text', text, isWhole: true, index, logprobs }
}

/**
 * Reads a reasoning item: its summary, or else the reasoning itself. What comes after its end is a new block
 * (T11).
 */
function createReasoningReader(blocks: Blocks): ItemReader {
  const parts = new Map<number, Progress>()
  let id: string | undefined
  let kind: Told['kind'] | undefined
  let lastIndex: number | undefined
  let itemId: string | undefined
  let signature: string | undefined

  const open = (): string => {
    if (id !== undefined) return id
    id = blocks.nextBlock()
    blocks.push({ type: 'reasoning-start', id, choice: 0 })
    blocks.reasoning.add(close)
    return id
  }
  const close = () => {
    if (id !== undefined) blocks.push({ type: 'reasoning-end', id, signature, itemId })
    id = undefined
    blocks.reasoning.delete(close)
  }

  function tell(told: Told): void {
    const { index } = told
    // Some vendors send the same text as its own summary: the kind that came first counts.
    if (kind !== undefined && kind !== told.kind) return
    const fresh = takeNew(parts.getOrInsertComputed(index, createProgress), told)
    if (fresh === '') return
    kind = told.kind
    const isNext = lastIndex !== undefined && lastIndex !== index
    lastIndex = index
    const text = isNext ? summarySeparator + fresh : fresh
    blocks.push({ type: 'reasoning-delta', id: open(), text })
  }

  return {
    begin(item) {
      itemId = stringIn(item, 'id')
    },
    tell,
    end(item) {
      if (item !== undefined) {
        for (const from of ['summary', 'content'] as const) {
          const texts = textsIn(item, from)
          texts.forEach((text, index) => void tell({ kind: from, text, index, isWhole: true }))
        }
        itemId = stringIn(item, 'id') ?? itemId
        signature = stringIn(item, 'encrypted_content')
        if (signature !== undefined) open()
      }
      close()
    },
  }
}

/** Reads a call of a function or custom tool. Input before the name waits; a call without a name is left out. */
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
    endReasoning(blocks)
    blocks.push({ type: 'tool-call-start', id, choice: 0, callId, name, kind })
    pass(waiting)
  }
  function pass(text: string): void {
    if (text === '') return
    if (id === undefined) waiting += text
    else blocks.push({ type: 'tool-call-delta', id, text })
  }
  function tell(told: Told): void {
    if (!isEnded) pass(takeNew(progress, told))
  }

  return {
    begin(item) {
      announced = item
      // Without its id the call waits for the item's end, which may have it.
      if (stringIn(item, 'call_id') !== undefined) open(item)
    },
    tell,
    end(item) {
      // Some vendors announce the whole call, and send nothing after that.
      const whole = item ?? announced
      if (isEnded || whole === undefined) return
      open({ ...announced, ...whole })
      const input = kind === 'custom' ? whole.input : whole.arguments
      const text = progress.sent === 0 ? callInput(input, kind) : input
      if (typeof text === 'string') tell({ kind: 'input', index: 0, text, isWhole: true })
      isEnded = true
      if (id !== undefined) blocks.push({ type: 'tool-call-end', id })
    },
  }
}

/**
 * Reads a `web_search_call`. Its action comes with the finished item: those that are no searches are left out.
 */
function createSearchReader(blocks: Blocks): ItemReader {
  return {
    end(item) {
      const search = item && decodeSearchCall(item)
      if (search === undefined) return
      const id = blocks.nextBlock()
      endReasoning(blocks)
      blocks.push({ type: 'search-start', id, choice: 0 })
      blocks.push({ type: 'search-end', id, search })
    },
  }
}
