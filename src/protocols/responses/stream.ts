import {
  addText,
  createObservation,
  createToolTally,
  fail,
  isOver,
  noteForeign,
  type Observation,
  type Outcome,
  observeTier,
} from '../canonical/observation.ts'
import { noteObserved, noteUsage } from '../canonical/raw-usage.ts'
import { openAiTier } from '../chat/hosted-tools.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import { notAnObject } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { createToolReader, type ToolReader } from './tool-uses.ts'
import { createResponsesCounts, type ResponsesCounts, responsesReports } from './usage.ts'

/** Watches a response. The kinds of events go by `type`: some vendors send no `event:` line. */
export function createResponsesObserver(): AnswerObserver {
  const seen = createObservation()
  const counts = createResponsesCounts()
  const reading = { seen, counts, tools: createToolReader(createToolTally(seen)) }
  return {
    seen,
    push(data, name, json) {
      if (isOver(seen)) return 'pass'
      const event = json ?? parseJsonObject(data)
      if (event !== undefined) readEvent(reading, event, name)
      return 'pass'
    },
    pushBody(body) {
      if (!isJsonObject(body)) return fail(seen, notAnObject)
      readResponse(reading, body)
      noteForeign(seen, body, ['output', 'object', 'id', 'error'])
      const failure = failureOf(body)
      if (failure !== undefined) return fail(seen, failure)
      seen.phase = 'closed'
      seen.outcome ??= outcomes.get(body.status) ?? 'complete'
    },
  }
}

const outcomes = new Map<unknown, Outcome>([
  ['incomplete', 'incomplete'],
  ['cancelled', 'incomplete'],
])

interface Reading {
  readonly seen: Observation
  readonly counts: ResponsesCounts
  readonly tools: ToolReader
}

function readEvent(reading: Reading, event: JsonObject, name: string): void {
  const { seen, tools } = reading
  const type = stringIn(event, 'type') ?? name
  if (typeof event.sequence_number === 'number') seen.sequence = event.sequence_number
  if (type.endsWith('.delta')) {
    // Audio comes as base64, which is no text.
    if (type !== 'response.audio.delta') addText(seen.text, event.delta)
    return
  }
  if (type === 'error') {
    fail(seen, objectIn(event, 'error')?.message ?? event.message)
    return
  }
  const response = objectIn(event, 'response')
  if (response === undefined) {
    const item = objectIn(event, 'item')
    if (item !== undefined) tools.item(item, event.output_index)
    return
  }
  readResponse(reading, response)
  if (type === 'response.failed') fail(seen, failureOf(response))
  else if (type === 'response.completed') close(seen, 'complete')
  else if (type === 'response.incomplete') close(seen, 'incomplete')
}

function close(seen: Observation, outcome: Outcome): void {
  seen.phase = 'closed'
  seen.outcome ??= outcome
}

function readResponse({ seen, counts, tools }: Reading, response: JsonObject): void {
  observeTier(seen, openAiTier(response.service_tier))
  tools.response(response)
  seen.answerId ??= stringIn(response, 'id')
  const isBackground = response.background === true || response.status === 'queued'
  seen.pending = isBackground && !finalStates.has(response.status)
  if (response.store !== false) notePartIds(seen.partIds, response)
  // Text that came in deltas is not counted again.
  if (seen.text.length === 0) addOutputText(seen, response)
  // What is still being worked on is charged, and its usage recorded, when it is fetched.
  if (seen.pending) return
  noteUsage(seen, counts, response.usage, responsesReports)
  noteObserved(seen, counts, responsesReports)
}

const finalStates = new Set<unknown>(['completed', 'failed', 'incomplete', 'cancelled'])

/** What the vendor keeps can be referred to by its id (`item_reference`). */
function notePartIds(partIds: Set<string>, response: JsonObject): void {
  for (const part of [response.conversation, ...arrayIn(response, 'output')]) {
    const id = isJsonObject(part) ? stringIn(part, 'id') : undefined
    if (id !== undefined) partIds.add(id)
  }
}

function addOutputText(seen: Observation, response: JsonObject): void {
  for (const item of arrayIn(response, 'output')) {
    if (!isJsonObject(item)) continue
    addText(seen.text, item.arguments)
    addText(seen.text, item.input)
    for (const part of [...arrayIn(item, 'content'), ...arrayIn(item, 'summary')]) {
      if (isJsonObject(part)) addText(seen.text, part.text ?? part.refusal)
    }
  }
}

/** The upstream's words about a failed response; '' when it failed without words. */
function failureOf(response: JsonObject): string | undefined {
  const error = objectIn(response, 'error')
  if (error === undefined && response.status !== 'failed') return undefined
  return stringIn(error, 'message') ?? ''
}
