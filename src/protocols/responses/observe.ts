import {
  addText,
  fail,
  noteForeign,
  type Outcome,
  observeTier,
  type TextSample,
} from '../canonical/observation.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { readCount } from '../canonical/usage.ts'
import { openAiTier } from '../chat/facts.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import { type EventRole, Observer } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { responsesReports } from './usage.ts'

/** Observes a response. The `type` decides: some vendors send no `event:` line. */
export const createResponsesObserver = (): AnswerObserver => new ResponsesObserver(responsesReports)

class ResponsesObserver extends Observer {
  protected override readonly fields = responseFields
  /** How searches and containers are billed, by the request's tools. */
  #search: HostedTool = 'web_search'
  #gigabytes = 1

  protected override readEvent(event: JsonObject, name: string): EventRole {
    const { seen } = this
    const type = stringIn(event, 'type') ?? name
    if (typeof event.sequence_number === 'number') seen.sequence = event.sequence_number
    const response = objectIn(event, 'response')
    if (type.endsWith('.delta')) {
      if (type !== 'response.audio.delta') addText(seen.text, event.delta)
    } else if (type === 'error') fail(seen, objectIn(event, 'error')?.message ?? event.message)
    else if (response === undefined) {
      const item = objectIn(event, 'item')
      if (item !== undefined) this.#tallyItem(item, event.output_index)
    } else {
      this.#readResponse(response)
      if (type === 'response.failed') fail(seen, failureOf(response))
      else if (type === 'response.completed') this.#close('complete')
      else if (type === 'response.incomplete') this.#close('incomplete')
    }
    return undefined
  }

  protected override readBody(body: JsonObject): void {
    this.#readResponse(body)
    noteForeign(this.seen, body, responseFields)
    const failure = failureOf(body)
    const isCut = body.status === 'incomplete' || body.status === 'cancelled'
    if (failure === undefined) this.#close(isCut ? 'incomplete' : 'complete')
    else fail(this.seen, failure)
  }

  #close(outcome: Outcome): void {
    this.seen.phase = 'closed'
    this.seen.outcome ??= outcome
  }

  #readResponse(response: JsonObject): void {
    const { seen } = this
    observeTier(seen, openAiTier(response.service_tier))
    this.#tallyResponse(response)
    seen.answerId ??= stringIn(response, 'id')
    const isBackground = response.background === true || response.status === 'queued'
    seen.pending = isBackground && !finalStates.has(response.status)
    if (response.store !== false) notePartIds(seen.partIds, response)
    if (seen.text.length === 0) addOutputText(seen.text, response)
    // A pending response is charged when it is fetched.
    if (seen.pending) return
    this.noteUsage(response.usage)
    this.noteObserved()
  }

  /** Counts hosted tools as OpenAI bills them: containers once each, by memory. */
  #tallyResponse(response: JsonObject): void {
    for (const tool of arrayIn(response, 'tools')) {
      if (!isJsonObject(tool)) continue
      if (`${tool.type}`.startsWith('web_search_preview')) this.#search = 'web_search_preview'
      const { container, environment } = tool
      this.#gigabytes = Math.max(this.#gigabytes, memoryOf(container), memoryOf(environment))
    }
    for (const [index, entry] of arrayIn(response, 'output').entries()) {
      if (isJsonObject(entry)) this.#tallyItem(entry, index)
    }
    const reported = objectIn(objectIn(response, 'tool_usage'), 'web_search')?.num_requests
    const searches = readCount(reported)
    if (searches !== undefined) this.tally.setTotal(this.#search, searches)
  }

  #tallyItem(item: JsonObject, index: unknown): void {
    const { tally } = this
    const { type } = item
    const id = stringIn(item, 'id') ?? `#${index}`
    const tool = itemTools.get(type)
    if (tool !== undefined) tally.note(tool, id)
    else if (type === 'web_search_call') {
      // The finished item has the action.
      if (isSearch(item)) tally.note(this.#search, id)
    } else if (type === 'code_interpreter_call') {
      tally.note('code_execution', stringIn(item, 'container_id') ?? id, this.#gigabytes)
    } else if (type === 'shell_call') {
      const container = stringIn(objectIn(item, 'environment'), 'container_id')
      if (container !== undefined) tally.note('code_execution', container, this.#gigabytes)
    } else if (type === 'tool_search_call' && item.execution !== 'client') {
      tally.note('tool_search', id)
    }
  }
}

const responseFields = ['output', 'object', 'id', 'error']
const finalStates = new Set<unknown>(['completed', 'failed', 'incomplete', 'cancelled'])

/** Later requests may refer to stored items by id (`item_reference`). */
function notePartIds(partIds: Set<string>, response: JsonObject): void {
  for (const part of [response.conversation, ...arrayIn(response, 'output')]) {
    const id = isJsonObject(part) ? stringIn(part, 'id') : undefined
    if (id !== undefined) partIds.add(id)
  }
}

function addOutputText(text: TextSample, response: JsonObject): void {
  for (const item of arrayIn(response, 'output')) {
    if (!isJsonObject(item)) continue
    addText(text, item.arguments)
    addText(text, item.input)
    for (const part of [...arrayIn(item, 'content'), ...arrayIn(item, 'summary')]) {
      if (isJsonObject(part)) addText(text, part.text ?? part.refusal)
    }
  }
}

function failureOf(response: JsonObject): string | undefined {
  const error = objectIn(response, 'error')
  if (error === undefined && response.status !== 'failed') return undefined
  return stringIn(error, 'message') ?? ''
}

const itemTools = new Map<unknown, HostedTool>([
  ['file_search_call', 'file_search'],
  ['image_generation_call', 'image_generation'],
  ['x_search_call', 'x_search'],
  ['computer_call', 'computer_use'],
  ['mcp_call', 'mcp'],
])

const isSearch = ({ action, status }: JsonObject) =>
  isJsonObject(action) ? (action.type ?? 'search') === 'search' : status === 'completed'

/** A container of `4g` is billed as four of `1g`. */
function memoryOf(container: unknown): number {
  const limit = isJsonObject(container) ? stringIn(container, 'memory_limit') : undefined
  const size = Number(/^(\d{1,4})g$/.exec(limit ?? '')?.[1])
  return Number.isInteger(size) ? size : 1
}
