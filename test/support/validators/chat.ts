import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { readCalls } from './chat-calls.ts'
import {
  type Call,
  checkError,
  checkFinish,
  checkHead,
  checkUsage,
  needTextIfAny,
} from './chat-shape.ts'
import { createReport, isCount, type Report, type StreamOptions } from './shared.ts'
import { readSse, readUnnamed, type SseFrame } from './sse-frames.ts'

interface Choice {
  readonly calls: Call[]
  finish: string | undefined
}

interface Walk {
  readonly report: Report
  readonly choices: Map<number, Choice>
  readonly wantsUsage: boolean
  head: JsonObject | undefined
  usageReports: number
  /** What the stream has ended with. */
  ending: '[DONE]' | 'the error' | 'nothing'
}

/**
 * Violations of a chat stream, by the vendor's reference "The chat completion chunk object", the
 * SDK's types and its `ChatCompletionStream`.
 */
export function validateChat(text: string, options: StreamOptions = {}): readonly string[] {
  const report = createReport()
  const walk: Walk = {
    report,
    choices: new Map(),
    wantsUsage: options.usage === true,
    head: undefined,
    usageReports: 0,
    ending: 'nothing',
  }
  for (const [at, frame] of readSse(text, report).entries()) {
    report.at(`chunk ${at}`)
    report.need(walk.ending === 'nothing', `after ${walk.ending}`)
    readFrame(walk, frame)
  }
  report.at('end')
  const expected = options.ending === 'error' ? 'the error' : '[DONE]'
  report.need(walk.ending === expected, `ends with ${walk.ending}, not with ${expected}`)
  if (options.ending !== 'error') checkEnd(walk)
  return report.violations
}

function readFrame(walk: Walk, frame: SseFrame): void {
  if (frame.data === '[DONE]') {
    walk.report.need(frame.event === undefined, 'an event name')
    walk.ending = '[DONE]'
    return
  }
  const chunk = readUnnamed(frame, walk.report)
  if (chunk === undefined) return
  if (chunk.error === undefined) readChunk(walk, chunk)
  else {
    walk.ending = 'the error'
    checkError(chunk, walk.report)
  }
}

function readChunk(walk: Walk, chunk: JsonObject): void {
  const { report } = walk
  checkHead(chunk, 'chat.completion.chunk', report)
  walk.head ??= chunk
  for (const field of ['id', 'model', 'created'] as const) {
    report.need(chunk[field] === walk.head[field], `${field} is not the first chunk's`)
  }
  const { usage } = chunk
  const choices = report.objects(chunk.choices, 'choices')
  for (const choice of choices) readChoice(walk, choice)
  if (choices.length > 0) {
    // Null here means that usage will come; clients take it like an absent one.
    report.need((usage ?? null) === null, 'usage in a chunk that has choices')
    report.need(walk.usageReports === 0, 'choices after the usage')
  } else if (isJsonObject(usage)) {
    report.need(walk.wantsUsage, 'usage that the client did not ask for')
    walk.usageReports++
    checkUsage(usage, report)
    for (const [index, { finish }] of walk.choices) {
      report.need(finish !== undefined, `usage before choice ${index} has finished`)
    }
  } else {
    // The vendor's results of a moderation that was asked for come last, after the usage.
    report.need(isJsonObject(chunk.moderation), 'neither choices nor usage')
  }
}

function readChoice({ report, choices }: Walk, value: JsonObject): void {
  const { index, finish_reason: finish } = value
  const delta = report.object(value.delta, 'delta')
  report.need(isCount(index), `the index of a choice is ${index}`)
  if (delta === undefined || !isCount(index)) return
  const known = choices.get(index)
  const choice: Choice = known ?? { calls: [], finish: undefined }
  choices.set(index, choice)
  const role = known === undefined ? 'assistant' : undefined
  report.need(delta.role === role, `role ${delta.role} in choice ${index}, expected ${role}`)
  report.need(known?.finish === undefined, `choice ${index} has finished already`)
  checkDelta(delta, report)
  if (delta.tool_calls !== undefined) readCalls(choice.calls, delta.tool_calls, report)
  report.need(finish !== undefined, 'no finish_reason: it is null until the end')
  if (finish === undefined || finish === null) return
  choice.finish = String(finish)
  checkFinish(choice.finish, choice.calls, report)
}

/** What a delta may hold: the SDK's type, and the reasoning that other vendors have put beside it. */
const deltaFields = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'audio', 'annotations'],
  ...['reasoning_content', 'reasoning', 'reasoning_details'],
])

function checkDelta(delta: JsonObject, report: Report): void {
  for (const field of Object.keys(delta)) {
    report.need(deltaFields.has(field), `an unknown field ${field} in a delta`)
  }
  needTextIfAny(delta, ['content', 'refusal', 'reasoning_content', 'reasoning'], report)
  const { reasoning_details: details } = delta
  if (details !== undefined) report.objects(details, 'reasoning_details')
}

function checkEnd({ report, choices, usageReports, wantsUsage }: Walk): void {
  report.need(choices.size > 0, 'no choices')
  for (let index = 0; index < choices.size; index++) {
    report.need(choices.has(index), `no choice ${index} of ${choices.size}`)
  }
  for (const [index, { finish }] of choices) {
    report.need(finish !== undefined, `choice ${index} has no finish_reason`)
  }
  if (wantsUsage) report.need(usageReports === 1, `usage is told ${usageReports} times`)
}
