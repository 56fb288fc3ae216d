import { toJsonText } from '../canonical/json-text.ts'
import {
  addText,
  complete,
  conclude,
  fail,
  type Outcome,
  type TextSample,
  type ToolTally,
} from '../canonical/observation.ts'
import type { HostedTool } from '../canonical/tools.ts'
import { arrayIn, isJsonObject, objectIn, stringIn } from '../json.ts'
import { type EventRole, Observer } from '../observer.ts'
import type { AnswerObserver, JsonObject } from '../protocol.ts'
import { messagesReports } from './usage.ts'

/** Observes a message. `message_stop` is its last event. */
export const createMessagesObserver = (): AnswerObserver => new MessagesObserver(messagesReports)

class MessagesObserver extends Observer {
  protected override readonly fields = messageFields
  protected override readonly textOf = readText

  protected override readEvent(event: JsonObject, name: string): EventRole {
    const { seen } = this
    switch (stringIn(event, 'type') ?? name) {
      case 'content_block_delta': {
        const delta = objectIn(event, 'delta')
        if (delta !== undefined) addText(seen.text, textOf(delta))
        break
      }
      case 'content_block_start':
        this.#readBlock(event.content_block)
        break
      case 'message_start': {
        const message = objectIn(event, 'message')
        if (message !== undefined) this.#readMessage(message)
        break
      }
      case 'message_delta':
        this.noteUsage(event.usage)
        this.#readStopReason(objectIn(event, 'delta'))
        break
      case 'message_stop':
        complete(seen)
        break
      case 'error':
        fail(seen, objectIn(event, 'error')?.message ?? event.message)
    }
    return undefined
  }

  protected override readOther(data: string, name: string): void {
    if (name === 'error') fail(this.seen, data)
  }

  protected override readBody(body: JsonObject): void {
    if (body.type === 'error') fail(this.seen, objectIn(body, 'error')?.message)
    else {
      for (const block of arrayIn(body, 'content')) this.#readBlock(block)
      this.#readMessage(body)
    }
  }

  #readBlock(block: unknown): void {
    if (isJsonObject(block)) {
      addBlockText(this.seen.text, block)
      observeBlock(this.tally, block)
    }
    this.noteObserved()
  }

  #readMessage(message: JsonObject): void {
    this.seen.answerId ??= stringIn(message, 'id')
    this.noteUsage(message.usage)
    this.#readStopReason(message)
  }

  #readStopReason(holder: JsonObject | undefined): void {
    const { seen } = this
    const reason = stringIn(holder, 'stop_reason')
    if (reason === undefined) return
    if (seen.phase === 'open') seen.phase = 'closing'
    conclude(seen, outcomes.get(reason) ?? 'complete')
  }
}

const messageFields = ['content', 'stop_reason']

/** The text of an event that contains nothing else worth noting, whatever its name. */
function readText({ type, delta }: JsonObject): string | undefined {
  if (type !== 'content_block_delta' || !isJsonObject(delta)) return undefined
  const text = textOf(delta)
  return typeof text === 'string' ? text : undefined
}

const outcomes = new Map<string, Outcome>([
  ['max_tokens', 'incomplete'],
  ['model_context_window_exceeded', 'incomplete'],
])

const textOf = (delta: JsonObject) => delta.text ?? delta.thinking ?? delta.partial_json

function addBlockText(text: TextSample, block: JsonObject): void {
  addText(text, block.text ?? block.thinking ?? block.name)
  const input = objectIn(block, 'input')
  if (input !== undefined && Object.keys(input).length > 0) addText(text, toJsonText(input))
}

const toolNames: readonly (readonly [name: RegExp, tool: HostedTool])[] = [
  [/^web_search$/, 'web_search'],
  [/^web_fetch$/, 'web_fetch'],
  [/code_execution$/, 'code_execution'],
  [/^tool_search/, 'tool_search'],
]

function observeBlock(tally: ToolTally, block: JsonObject): void {
  const { type } = block
  if (type !== 'server_tool_use' && type !== 'mcp_tool_use') return
  const id = stringIn(block, 'id') ?? ''
  const name = stringIn(block, 'name') ?? ''
  const named = toolNames.find(([pattern]) => pattern.test(name))?.[1]
  const tool = type === 'mcp_tool_use' ? 'mcp' : named
  // All code of an answer runs in one container.
  if (tool !== undefined) tally.note(tool, tool === 'code_execution' ? '' : id)
}
