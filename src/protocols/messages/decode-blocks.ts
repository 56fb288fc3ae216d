import type { DecodeContext } from '../canonical/codec.ts'
import type { AnswerEvent } from '../canonical/event.ts'
import { embedJson, toJsonText } from '../canonical/json-text.ts'
import type { Citation, ToolKind } from '../canonical/request.ts'
import { parseJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  decodeCitation,
  decodeCitations,
  decodeSearchResult,
  isSearchUse,
  queryIn,
} from './search.ts'

/** Reads the content blocks of one answer. Only odd upstreams give no index. */
export interface BlockReader {
  start(index: number | undefined, block: JsonObject | undefined): void
  delta(index: number | undefined, delta: JsonObject | undefined): void
  stop(index: number | undefined): void
  closeAll(): void
  hasBegun(): boolean
  /** Whether the client was told to call something. */
  hasCalls(): boolean
}

type Block = TextBlock | ReasoningBlock | CallBlock | SearchBlock | SkippedBlock

interface TextBlock {
  readonly kind: 'text'
  readonly id: string
  /** It is told of at its first text: an empty block is none. */
  isTold: boolean
  readonly citations: Citation[]
}

interface ReasoningBlock {
  readonly kind: 'reasoning'
  readonly id: string
  signature: string | undefined
  readonly isRedacted: true | undefined
}

interface CallBlock {
  readonly kind: 'tool-call'
  readonly id: string
  readonly callKind: ToolKind
  /** Came with the block's start; it counts if nothing follows. */
  readonly input: unknown
  hasInput: boolean
  /** Of a custom tool: its text is inside of JSON, and known when that is whole. */
  held: string
}

/** The use of the vendor's search; what it found comes in a block of its own. */
interface SearchBlock {
  readonly kind: 'search'
  readonly id: string
  readonly useId: string | undefined
  readonly input: unknown
  /** What has come of the input's JSON text. */
  held: string
}

/** A search whose result has not come. */
interface PendingSearch {
  readonly id: string
  readonly query: string | undefined
}

/** Of another tool that the vendor runs, or newer than this code. */
interface SkippedBlock {
  readonly kind: 'skipped'
}

interface Blocks {
  readonly requestId: string
  readonly customTools: ReadonlySet<string>
  readonly emit: (event: AnswerEvent) => void
  readonly open: Map<number, Block>
  /** By the id of their use. */
  readonly searches: Map<string | undefined, PendingSearch>
  /** Index of the open block that is no call. */
  serial: number | undefined
  latest: number
  count: number
  calls: number
}

/** A reader that has seen nothing; `emit` gets what it makes of the blocks. */
export function createBlockReader(
  { request, requestId }: DecodeContext,
  emit: (event: AnswerEvent) => void,
): BlockReader {
  const custom = request.tools.filter(({ kind }) => kind === 'custom')
  const customTools = new Set(custom.map(({ name }) => name))
  const open = new Map<number, Block>()
  const places = { serial: undefined, latest: -1, count: 0, calls: 0 }
  const searches = new Map<string | undefined, PendingSearch>()
  const blocks: Blocks = { requestId, customTools, emit, open, searches, ...places }
  return {
    start: (at, wire) => startBlock(blocks, at ?? blocks.latest + 1, wire),
    delta: (at, delta) => addDelta(blocks, at ?? blocks.latest, delta),
    stop: (at) => close(blocks, at ?? blocks.latest),
    closeAll() {
      for (const index of open.keys()) close(blocks, index)
      for (const search of searches.values()) endSearch(blocks, search, {})
      searches.clear()
    },
    hasBegun: () => blocks.count > 0,
    hasCalls: () => blocks.calls > 0,
  }
}

function startBlock(blocks: Blocks, index: number, wire: JsonObject | undefined): void {
  switch (wire?.type) {
    case 'text': {
      const { citations } = beginText(blocks, index)
      citations.push(...(decodeCitations(wire.citations) ?? []))
      addText(blocks, index, wire.text)
      return
    }
    case 'thinking':
      beginReasoning(blocks, index, stringIn(wire, 'signature'))
      addThinking(blocks, index, wire.thinking)
      return
    case 'redacted_thinking':
      beginReasoning(blocks, index, stringIn(wire, 'data'), true)
      return
    case 'tool_use':
      beginCall(blocks, index, wire)
      return
    default:
      if (isSearchUse(wire)) beginSearch(blocks, index, wire)
      else {
        begin(blocks, index, { kind: 'skipped' })
        blocks.count++
        if (wire?.type === 'web_search_tool_result') readResult(blocks, wire)
      }
  }
}

/** A delta whose block was not begun, or is of another kind (T1, T11), begins one of its own. */
function addDelta(blocks: Blocks, index: number, delta: JsonObject | undefined): void {
  const block = blocks.open.get(index)
  switch (delta?.type) {
    case 'text_delta':
      addText(blocks, index, delta.text)
      return
    case 'thinking_delta':
      addThinking(blocks, index, delta.thinking)
      return
    case 'input_json_delta':
      if (block?.kind === 'tool-call') addInput(blocks, block, delta.partial_json)
      if (block?.kind === 'search') block.held += stringIn(delta, 'partial_json') ?? ''
      return
    case 'signature_delta':
      // T8: it comes whole; the vendor's SDKs do not join two either.
      if (block?.kind === 'reasoning') {
        block.signature = stringIn(delta, 'signature') ?? block.signature
      }
      return
    case 'citations_delta': {
      const citation = decodeCitation(delta.citation)
      if (block?.kind === 'text' && citation !== undefined) block.citations.push(citation)
    }
  }
}

/** Text and reasoning stand one after the other; only calls may be side by side. */
function begin(blocks: Blocks, index: number, block: Block): void {
  if (blocks.serial !== undefined) close(blocks, blocks.serial)
  close(blocks, index)
  blocks.open.set(index, block)
  blocks.serial = block.kind === 'tool-call' ? undefined : index
  blocks.latest = index
}

function beginText(blocks: Blocks, index: number): TextBlock {
  const block: TextBlock = { kind: 'text', id: nextId(blocks), isTold: false, citations: [] }
  begin(blocks, index, block)
  return block
}

function beginReasoning(
  blocks: Blocks,
  index: number,
  signature?: string,
  isRedacted?: true,
): ReasoningBlock {
  const id = nextId(blocks)
  const block: ReasoningBlock = { kind: 'reasoning', id, signature, isRedacted }
  begin(blocks, index, block)
  blocks.emit({ type: 'reasoning-start', choice: 0, id })
  return block
}

function beginCall(blocks: Blocks, index: number, wire: JsonObject): void {
  const id = nextId(blocks)
  const name = stringIn(wire, 'name') ?? ''
  const kind = blocks.customTools.has(name) ? 'custom' : 'function'
  const { input } = wire
  begin(blocks, index, { kind: 'tool-call', id, callKind: kind, input, hasInput: false, held: '' })
  const callId = stringIn(wire, 'id') ?? `call_${blocks.requestId}_${blocks.calls}`
  blocks.calls++
  blocks.emit({ type: 'tool-call-start', choice: 0, id, callId, name, kind })
}

function beginSearch(blocks: Blocks, index: number, wire: JsonObject | undefined): void {
  const id = nextId(blocks)
  const search = { id, useId: stringIn(wire, 'id'), input: wire?.input, held: '' }
  begin(blocks, index, { kind: 'search', ...search })
  blocks.emit({ type: 'search-start', choice: 0, id })
}

function readResult(blocks: Blocks, wire: JsonObject): void {
  const useId = stringIn(wire, 'tool_use_id')
  const search = blocks.searches.get(useId)
  blocks.searches.delete(useId)
  if (search !== undefined) endSearch(blocks, search, wire)
}

const endSearch = ({ emit }: Blocks, { id, query }: PendingSearch, result: JsonObject) =>
  emit({ type: 'search-end', id, search: decodeSearchResult(result, query) })

const nextId = (blocks: Blocks) => `${blocks.count++}`

/** Whether text that comes for a block is nothing to be told. */
const skips = (block: Block | undefined) => block?.kind === 'skipped' || block?.kind === 'search'

function addText(blocks: Blocks, index: number, text: unknown): void {
  const found = blocks.open.get(index)
  if (typeof text !== 'string' || text === '' || skips(found)) return
  const block = found?.kind === 'text' ? found : beginText(blocks, index)
  tell(blocks, block)
  blocks.emit({ type: 'text-delta', id: block.id, text })
}

function addThinking(blocks: Blocks, index: number, text: unknown): void {
  const found = blocks.open.get(index)
  if (typeof text !== 'string' || text === '' || skips(found)) return
  const { id } = found?.kind === 'reasoning' ? found : beginReasoning(blocks, index)
  blocks.emit({ type: 'reasoning-delta', id, text })
}

function addInput(blocks: Blocks, block: CallBlock, json: unknown): void {
  if (typeof json !== 'string' || json === '') return
  block.hasInput = true
  if (block.callKind === 'custom') block.held += json
  else blocks.emit({ type: 'tool-call-delta', id: block.id, text: json })
}

function tell(blocks: Blocks, block: TextBlock): void {
  if (!block.isTold) blocks.emit({ type: 'text-start', choice: 0, id: block.id })
  block.isTold = true
}

function close(blocks: Blocks, index: number): void {
  const { open, emit } = blocks
  const block = open.get(index)
  open.delete(index)
  if (blocks.serial === index) blocks.serial = undefined
  switch (block?.kind) {
    case 'text': {
      const citations = block.citations.length === 0 ? undefined : block.citations
      if (citations !== undefined) tell(blocks, block)
      if (block.isTold) emit({ type: 'text-end', id: block.id, citations })
      return
    }
    case 'reasoning': {
      const { id, signature, isRedacted } = block
      emit({ type: 'reasoning-end', id, signature, isRedacted })
      return
    }
    case 'search': {
      const { id, useId, input, held } = block
      const query = queryIn(held === '' ? input : parseJsonObject(held))
      blocks.searches.set(useId, { id, query })
      return
    }
    case 'tool-call': {
      const rest = remainingInput(block)
      if (rest !== '') emit({ type: 'tool-call-delta', id: block.id, text: rest })
      emit({ type: 'tool-call-end', id: block.id })
    }
  }
}

/** What is left to be told of a call's input at its end (T4: all of it, if no delta came). */
function remainingInput({ callKind, input, hasInput, held }: CallBlock): string {
  const whole = hasInput ? held : wholeInput(input)
  return callKind === 'custom' ? bareInput(whole) : whole
}

/** T5: an input that is JSON text already is left as it is. */
function wholeInput(input: unknown): string {
  if (typeof input === 'string') return input === '' ? '{}' : input
  return toJsonText(input ?? {}) ?? '{}'
}

/** A custom tool was described to the model as a function of one text. */
function bareInput(json: string): string {
  const object = embedJson(json)
  const isBare = object !== undefined && Object.keys(object).length === 1
  return isBare && typeof object.input === 'string' ? object.input : json
}
