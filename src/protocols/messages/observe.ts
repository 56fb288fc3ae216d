import { toJsonText } from '../canonical/json-text.ts'
import {
  addText,
  complete,
  conclude,
  createObservation,
  createToolTally,
  fail,
  type Observation,
  type Outcome,
  type ToolTally,
} from '../canonical/observation.ts'
import { noteObserved, noteUsage } from '../canonical/raw-usage.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import { createObserver } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { type MessagesCounts, messagesReports } from './usage.ts'

/** Watches a message. `message_stop` is its last event. */
export function createMessagesObserver(): AnswerObserver {
  const seen = createObservation()
  const reading = { seen, counts: messagesReports.createCounts(), tally: createToolTally(seen) }
  return createObserver({
    seen,
    textOf: readText,
    event: (event, name) => readEvent(reading, event, name),
    other(data, name) {
      if (name === 'error') fail(seen, data)
    },
    body(body) {
      if (body.type === 'error') return fail(seen, objectIn(body, 'error')?.message)
      for (const block of arrayIn(body, 'content')) readBlock(reading, block)
      readMessage(seen, reading.counts, body)
    },
    fields: ['content', 'stop_reason'],
  })
}

/** The text of an event of which nothing else would be noted, whatever name it has. */
function readText({ type, delta }: JsonObject): string | undefined {
  if (type !== 'content_block_delta' || !isJsonObject(delta)) return undefined
  const text = textOf(delta)
  return typeof text === 'string' ? text : undefined
}

interface Reading {
  readonly seen: Observation
  readonly counts: MessagesCounts
  readonly tally: ToolTally
}

function readBlock({ seen, counts, tally }: Reading, block: unknown): void {
  addBlockText(seen, block)
  observeBlock(tally, block)
  noteObserved(seen, counts, messagesReports)
}

function readEvent(reading: Reading, event: JsonObject, name: string): undefined {
  const { seen, counts } = reading
  switch (stringIn(event, 'type') ?? name) {
    case 'content_block_delta':
      addDeltaText(seen, event.delta)
      return
    case 'content_block_start':
      readBlock(reading, event.content_block)
      return
    case 'message_start': {
      const message = objectIn(event, 'message')
      if (message !== undefined) readMessage(seen, counts, message)
      return
    }
    case 'message_delta':
      noteUsage(seen, counts, event.usage, messagesReports)
      readStopReason(seen, objectIn(event, 'delta'))
      return
    case 'message_stop':
      complete(seen)
      return
    case 'error':
      fail(seen, objectIn(event, 'error')?.message ?? event.message)
  }
}

function readMessage(seen: Observation, counts: MessagesCounts, message: JsonObject): void {
  seen.answerId ??= stringIn(message, 'id')
  noteUsage(seen, counts, message.usage, messagesReports)
  readStopReason(seen, message)
}

function readStopReason(seen: Observation, holder: JsonObject | undefined): void {
  const reason = stringIn(holder, 'stop_reason')
  if (reason === undefined) return
  if (seen.phase === 'open') seen.phase = 'closing'
  conclude(seen, outcomes.get(reason) ?? 'complete')
}

const outcomes = new Map<string, Outcome>([
  ['max_tokens', 'incomplete'],
  ['model_context_window_exceeded', 'incomplete'],
])

function addDeltaText(seen: Observation, delta: unknown): void {
  if (!isJsonObject(delta)) return
  addText(seen.text, textOf(delta))
}

const textOf = (delta: JsonObject) => delta.text ?? delta.thinking ?? delta.partial_json

/** Text of a block that came whole. In streams blocks begin empty, but for a tool's name. */
function addBlockText(seen: Observation, block: unknown): void {
  if (!isJsonObject(block)) return
  addText(seen.text, block.text ?? block.thinking ?? block.name)
  const input = objectIn(block, 'input')
  if (input !== undefined && Object.keys(input).length > 0) {
    addText(seen.text, toJsonText(input))
  }
}

/** Tools by the names that their calls have; all else of `server_tool_use` is not billed by use. */
const toolNames: readonly (readonly [name: RegExp, tool: HostedTool])[] = [
  [/^web_search$/, 'web_search'],
  [/^web_fetch$/, 'web_fetch'],
  [/code_execution$/, 'code_execution'],
  [/^tool_search/, 'tool_search'],
]

/** Notes a content block that is the use of a tool which the vendor runs. */
function observeBlock(tally: ToolTally, block: unknown): void {
  if (!isJsonObject(block)) return
  const { type } = block
  if (type !== 'server_tool_use' && type !== 'mcp_tool_use') return
  const id = stringIn(block, 'id') ?? ''
  const name = stringIn(block, 'name') ?? ''
  const named = toolNames.find(([pattern]) => pattern.test(name))?.[1]
  const tool = type === 'mcp_tool_use' ? 'mcp' : named
  // All code of an answer runs in one container.
  if (tool !== undefined) tally.note(tool, tool === 'code_execution' ? '' : id)
}
