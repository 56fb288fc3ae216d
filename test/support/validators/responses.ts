import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { finishItem, type Item, readItemEvent, startItem } from './responses-items.ts'
import { checkFailed, checkResponse, toolKinds } from './responses-shape.ts'
import { createReport, isFilled, type Report, type StreamOptions } from './shared.ts'
import { type NamedEvent, readNamed, readSse } from './sse-frames.ts'

interface Walk {
  readonly report: Report
  readonly isComplete: boolean
  /** The response of response.created: what is told later belongs to the same. */
  head: JsonObject | undefined
  isInProgress: boolean
  hasError: boolean
  hasEnded: boolean
  /** One item at a time: the vendor never opens two, and agents keep only one as their current. */
  open: Item | undefined
  readonly done: JsonObject[]
  readonly ids: Set<unknown>
  readonly callIds: Set<unknown>
}

/**
 * Violations of a responses stream, by the vendor's reference "Streaming events", the SDK's types
 * and its `ResponseStream`, whose accumulator throws on most of what is reported here.
 */
export function validateResponses(text: string, options: StreamOptions = {}): readonly string[] {
  const report = createReport()
  const walk: Walk = {
    report,
    isComplete: options.ending !== 'error',
    head: undefined,
    isInProgress: false,
    hasError: false,
    hasEnded: false,
    open: undefined,
    done: [],
    ids: new Set(),
    callIds: new Set(),
  }
  for (const [at, frame] of readSse(text, report).entries()) {
    const named = readNamed(frame, at, report)
    if (named === undefined) continue
    const { sequence_number: sequence } = named.event
    report.need(sequence === at, `sequence_number ${sequence}, expected ${at}`)
    report.need(!walk.hasEnded, 'after the terminal event')
    readEvent(walk, named)
  }
  report.at('end')
  report.need(walk.hasEnded, 'no terminal event')
  return report.violations
}

function readEvent(walk: Walk, { type, event }: NamedEvent): void {
  const { report } = walk
  if (type === 'keepalive') return
  if (type === 'error') {
    // The vendor tells an error twice: by this event, and by response.failed right after it.
    report.need(!walk.isComplete && !walk.hasError, 'an error event')
    walk.hasError = true
    return
  }
  report.need(!walk.hasError || type === 'response.failed', 'after the error')
  const isFirst = walk.head === undefined
  report.need(isFirst === (type === 'response.created'), 'response.created comes first, and once')
  if (beginnings.has(type)) readBeginning(walk, type, event)
  else if (endings.has(type)) readEnd(walk, type, event)
  else {
    report.need(walk.isInProgress, 'before response.in_progress')
    readOutputEvent(walk, { type, event })
  }
}

function readOutputEvent(walk: Walk, { type, event }: NamedEvent): void {
  const { report, open } = walk
  if (type === 'response.output_item.added') readItemAdded(walk, event)
  else if (type === 'response.output_item.done') readItemDone(walk, event)
  else if (open === undefined) report.need(false, 'no item is open')
  else if (!readItemEvent(open, type, event, report)) {
    report.need(toolKinds.has(type), 'a kind that the vendor does not have')
  }
}

const beginnings = new Set(['response.created', 'response.queued', 'response.in_progress'])

function readBeginning(walk: Walk, type: string, event: JsonObject): void {
  const { report } = walk
  report.need(!walk.isInProgress, 'the response is in progress already')
  if (type === 'response.in_progress') walk.isInProgress = true
  const response = report.object(event.response, 'response') ?? {}
  walk.head ??= response
  // A response in the background is created as queued.
  const isQueued = type !== 'response.in_progress' && response.status === 'queued'
  checkResponse(response, isQueued ? 'queued' : 'in_progress', report)
  checkSame(walk, response)
  const { output, usage } = response
  report.need(Array.isArray(output) && output.length === 0, 'output is not []')
  report.need((usage ?? null) === null, 'usage before the end')
}

/** Every response object of a stream is the same one. */
function checkSame({ report, head }: Walk, response: JsonObject): void {
  report.need(response.id === head?.id, "id is not response.created's")
  for (const field of ['model', 'created_at'] as const) {
    const value = response[field]
    report.need(value === undefined || value === head?.[field], `${field} has changed`)
  }
}

function readItemAdded(walk: Walk, event: JsonObject): void {
  const { report, ids, callIds } = walk
  report.need(walk.open === undefined, 'the item before it is open')
  const expected = walk.done.length + (walk.open === undefined ? 0 : 1)
  const { output_index: index } = event
  report.need(index === expected, `output_index ${index}, expected ${expected}`)
  const item = report.object(event.item, 'item') ?? {}
  report.need(isFilled(item.id), 'item.id is empty')
  report.need(!ids.has(item.id), `the id ${item.id} is another item's`)
  ids.add(item.id)
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    report.need(!callIds.has(item.call_id), `the call_id ${item.call_id} is another item's`)
    callIds.add(item.call_id)
  }
  walk.open = startItem(item, index, report)
}

function readItemDone(walk: Walk, event: JsonObject): void {
  const { report, open } = walk
  report.need(open !== undefined, 'no item is open')
  const item = report.object(event.item, 'item') ?? {}
  walk.done.push(item)
  walk.open = undefined
  if (open === undefined) return
  const { output_index: index } = event
  report.need(index === open.index, `output_index ${index} is not the open item's`)
  finishItem(open, item, report)
}

const endings = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
])

function readEnd(walk: Walk, type: string, event: JsonObject): void {
  const { report, done } = walk
  walk.hasEnded = true
  const hasFailed = type === 'response.failed'
  report.need(hasFailed !== walk.isComplete, hasFailed ? 'the stream has failed' : 'no error')
  const response = report.object(event.response, 'response') ?? {}
  checkSame(walk, response)
  if (hasFailed) {
    checkFailed(response, report)
    return
  }
  report.need(walk.isInProgress, 'before response.in_progress')
  report.need(walk.open === undefined, 'an item is open')
  checkResponse(response, endings.get(type) ?? '', report)
  const output = report.objects(response.output, 'output')
  report.need(output.length === done.length, `${output.length} items, but ${done.length} done`)
  for (const [at, item] of output.entries()) {
    const isSame = Bun.deepEquals(withoutSeals(item), withoutSeals(done[at]), true)
    report.need(isSame, `output[${at}] is not the item that was done`)
  }
}

/** The vendor encrypts anew for every event: these members differ, whatever they hold. */
function withoutSeals(item: unknown): unknown {
  if (!isJsonObject(item)) return item
  const { encrypted_content: seal, fingerprint, ...rest } = item
  return { ...rest, isSealed: isFilled(seal), hasFingerprint: isFilled(fingerprint) }
}
