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
  type ToolTally,
} from '../canonical/observation.ts'
import { noteObserved, noteUsage } from '../canonical/raw-usage.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { readCount } from '../canonical/usage.ts'
import { openAiTier } from '../chat/hosted-tools.ts'
import { arrayIn, isJsonObject, objectIn, parseJsonObject, stringIn } from '../json.ts'
import { notAnObject } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { type ResponsesCounts, responsesReports } from './usage.ts'

/** Watches a response. The kinds of events go by `type`: some vendors send no `event:` line. */
export function createResponsesObserver(): AnswerObserver {
  const seen = createObservation()
  const reading: Reading = { seen, counts: {}, tools: createToolReader(createToolTally(seen)) }
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
      const isCut = body.status === 'incomplete' || body.status === 'cancelled'
      close(seen, isCut ? 'incomplete' : 'complete')
    },
  }
}

interface Reading {
  readonly seen: Observation
  readonly counts: ResponsesCounts
  readonly tools: ReturnType<typeof createToolReader>
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

/** Items of the answer that are each one use of a tool. */
const itemTools = new Map<unknown, HostedTool>([
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
  ['x_search_call', 'x_search'],
  ['computer_call', 'computer_use'],
  ['mcp_call', 'mcp'],
])

/**
 * Counts the hosted tools of one response as OpenAI bills them (its price list): a search for each
 * `search`, not for the opening of pages, and as the response's `tool_usage` says where it does;
 * containers once each, by their memory; the other calls one by one.
 */
function createToolReader(tally: ToolTally) {
  let search: HostedTool = 'web_search'
  let gigabytes = 1

  /** An item that has been added to the answer, or is done; `index` where it stands. */
  function item(item: JsonObject, index: unknown): void {
    const { type } = item
    const id = stringIn(item, 'id') ?? `#${index}`
    const tool = itemTools.get(type)
    if (tool !== undefined) tally.note(tool, id)
    else if (type === 'web_search_call') {
      // Which kind of action it is comes with the finished item.
      if (isSearch(item)) tally.note(search, id)
    } else if (type === 'code_interpreter_call') {
      tally.note('code_execution', stringIn(item, 'container_id') ?? id, gigabytes)
    } else if (type === 'shell_call') {
      const container = stringIn(objectIn(item, 'environment'), 'container_id')
      if (container !== undefined) tally.note('code_execution', container, gigabytes)
    } else if (type === 'tool_search_call' && item.execution !== 'client') {
      tally.note('tool_search', id)
    }
  }

  return {
    item,
    /** A response object, as far as it has come. */
    response(response: JsonObject): void {
      for (const tool of arrayIn(response, 'tools')) {
        if (!isJsonObject(tool)) continue
        if (`${tool.type}`.startsWith('web_search_preview')) search = 'web_search_preview'
        gigabytes = Math.max(gigabytes, memoryOf(tool.container), memoryOf(tool.environment))
      }
      arrayIn(response, 'output').forEach((entry, index) => {
        if (isJsonObject(entry)) item(entry, index)
      })
      const told = objectIn(objectIn(response, 'tool_usage'), 'web_search')?.num_requests
      const searches = readCount(told)
      if (searches !== undefined) tally.told(search, searches)
    },
  }
}

const isSearch = ({ action, status }: JsonObject) =>
  isJsonObject(action) ? (action.type ?? 'search') === 'search' : status === 'completed'

/** A container of `4g` is billed as four of `1g`. */
function memoryOf(container: unknown): number {
  const limit = isJsonObject(container) ? stringIn(container, 'memory_limit') : undefined
  const size = Number(/^(\d{1,4})g$/.exec(limit ?? '')?.[1])
  return Number.isInteger(size) ? size : 1
}
