import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  checkBlock,
  checkError,
  checkMessage,
  checkStop,
  checkUsageDelta,
} from './messages-shape.ts'
import { createReport, holdsObject, isFilled, type Report, type StreamOptions } from './shared.ts'
import { type NamedEvent, readNamed, readSse } from './sse-frames.ts'

interface Walk {
  readonly report: Report
  isStarted: boolean
  isStopped: boolean
  hasFailed: boolean
  stopReason: string | undefined
  /** Types of all blocks so far; the last one may be open. */
  readonly blocks: string[]
  readonly callIds: Set<unknown>
  open: { json: string; isSigned: boolean } | undefined
  /** Blocks whose input is no JSON: right for the last one, when the answer was cut off there. */
  readonly torn: number[]
}

/**
 * Violations of a messages stream, by the vendor's page "Streaming messages", the SDK's types and
 * its `MessageStream`, which joins blocks by their place and takes the last value of all else.
 */
export function validateMessages(text: string, options: StreamOptions = {}): readonly string[] {
  const report = createReport()
  const walk: Walk = {
    report,
    isStarted: false,
    isStopped: false,
    hasFailed: false,
    stopReason: undefined,
    blocks: [],
    callIds: new Set(),
    open: undefined,
    torn: [],
  }
  for (const [at, frame] of readSse(text, report).entries()) {
    const named = readNamed(frame, at, report)
    if (named === undefined) continue
    report.need(!walk.isStopped, 'after message_stop')
    report.need(!walk.hasFailed, 'after the error')
    readEvent(walk, named)
  }
  report.at('end')
  if (options.ending === 'error') report.need(walk.hasFailed, 'no error event')
  else report.need(walk.isStopped && !walk.hasFailed, 'no message_stop')
  return report.violations
}

function readEvent(walk: Walk, { type, event }: NamedEvent): void {
  const { report } = walk
  if (type === 'ping') return
  if (type === 'error') {
    walk.hasFailed = true
    checkError(event, report)
    return
  }
  if (type === 'message_start') {
    report.need(!walk.isStarted, 'a second message_start')
    walk.isStarted = true
    checkStart(event, report)
    return
  }
  report.need(walk.isStarted, 'before message_start')
  if (type === 'message_stop') {
    report.need(walk.stopReason !== undefined, 'before message_delta')
    walk.isStopped = true
    return
  }
  report.need(walk.stopReason === undefined, 'after message_delta')
  if (type === 'content_block_start') readBlockStart(walk, event)
  else if (type === 'content_block_delta') readBlockDelta(walk, event)
  else if (type === 'content_block_stop') readBlockStop(walk, event)
  else if (type === 'message_delta') readMessageDelta(walk, event)
  else report.need(false, 'a kind that the vendor does not have')
}

function checkStart(event: JsonObject, report: Report): void {
  const message = report.object(event.message, 'message')
  if (message === undefined) return
  checkMessage(message, report)
  const { content, stop_reason: reason, stop_sequence: sequence } = message
  report.need(Array.isArray(content) && content.length === 0, 'content is not []')
  report.need(reason === null, 'stop_reason is not null')
  report.need(sequence === null, 'stop_sequence is not null')
}

function readBlockStart(walk: Walk, event: JsonObject): void {
  const { report, blocks, callIds } = walk
  report.need(walk.open === undefined, 'the block before it is open')
  report.need(event.index === blocks.length, `index ${event.index}, expected ${blocks.length}`)
  const block = report.object(event.content_block, 'content_block') ?? {}
  walk.open = { json: '', isSigned: false }
  blocks.push(String(block.type))
  checkBlock(block, report)
  // Clients join deltas to what stands here, or forget it: either way nothing may.
  for (const field of startsEmpty.get(block.type) ?? []) {
    report.need(block[field] === '', `${field} begins with something`)
  }
  if (block.type !== 'tool_use') return
  const input = isJsonObject(block.input) ? Object.keys(block.input) : []
  report.need(input.length === 0, 'input begins with something')
  report.need(!callIds.has(block.id), `the id ${block.id} is another block's`)
  callIds.add(block.id)
}

const startsEmpty = new Map<unknown, readonly string[]>([
  ['text', ['text']],
  ['thinking', ['thinking', 'signature']],
])

/** The deltas of each kind of block; those not named here have none. */
const deltaKinds = new Map([
  ['text', ['text_delta', 'citations_delta']],
  ['thinking', ['thinking_delta', 'signature_delta']],
  ['tool_use', ['input_json_delta']],
  ['server_tool_use', ['input_json_delta']],
  ['mcp_tool_use', ['input_json_delta']],
  ['compaction', ['compaction_delta']],
])

/** Which member of a delta carries it, as text. */
const textMembers = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
  ['input_json_delta', 'partial_json'],
])

function readBlockDelta(walk: Walk, event: JsonObject): void {
  const { report, open, blocks } = walk
  report.need(open !== undefined, 'no block is open')
  report.need(event.index === blocks.length - 1, `index ${event.index} is not the open block's`)
  const delta = report.object(event.delta, 'delta')
  if (delta === undefined || open === undefined) return
  const kind = String(delta.type)
  const block = blocks.at(-1) ?? ''
  report.need(deltaKinds.get(block)?.includes(kind) === true, `${kind} in a block of ${block}`)
  report.need(!open.isSigned, 'after signature_delta, which is the last of its block')
  const member = textMembers.get(kind)
  if (member === undefined) return
  const text = delta[member]
  report.need(typeof text === 'string', `${kind} without ${member}`)
  if (kind === 'input_json_delta') open.json += String(text)
  if (kind === 'signature_delta') {
    report.need(isFilled(text), 'signature is empty')
    open.isSigned = true
  }
}

function readBlockStop(walk: Walk, event: JsonObject): void {
  const { report, open } = walk
  const last = walk.blocks.length - 1
  report.need(open !== undefined, 'no block is open')
  report.need(event.index === last, `index ${event.index} is not the open block's`)
  if (open !== undefined && open.json !== '' && !holdsObject(open.json)) walk.torn.push(last)
  walk.open = undefined
}

const wholeReasons = new Set(['end_turn', 'tool_use', 'stop_sequence', 'pause_turn'])

function readMessageDelta(walk: Walk, event: JsonObject): void {
  const { report, blocks } = walk
  report.need(walk.open === undefined, 'a block is open')
  const delta = report.object(event.delta, 'delta') ?? {}
  const reason = String(delta.stop_reason)
  walk.stopReason = reason
  checkStop(delta, blocks, report)
  const mayTear = wholeReasons.has(reason) ? -1 : blocks.length - 1
  for (const index of walk.torn) {
    report.need(index === mayTear, `the input of block ${index} is no JSON object`)
  }
  const usage = report.object(event.usage, 'usage')
  if (usage !== undefined) checkUsageDelta(usage, report)
}
