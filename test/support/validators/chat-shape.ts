import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  createReport,
  holdsObject,
  isCount,
  isFilled,
  isTextOrNull,
  needCounts,
  needCountsIfAny,
  type Report,
} from './shared.ts'

/** A tool call as far as it is known: the text is a function's arguments, or a custom tool's input. */
export interface Call {
  readonly id: unknown
  readonly kind: 'function' | 'custom'
  text: string
}

/** What a completion and each of its chunks begin with. */
export function checkHead(head: JsonObject, object: string, report: Report): void {
  report.need(head.object === object, `object is ${head.object}, not ${object}`)
  report.need(isFilled(head.id), 'id is empty')
  report.need(isFilled(head.model), 'model is empty')
  report.need(isCount(head.created), 'created is no time')
}

/** Reports members that are there, and neither text nor null. */
export function needTextIfAny(object: JsonObject, fields: readonly string[], report: Report): void {
  for (const field of fields) {
    const value = object[field]
    report.need(value === undefined || isTextOrNull(value), `${field} is no text`)
  }
}

/** Reasons of the SDK's types; `function_call` belongs to requests that use the old `functions`. */
const finishReasons = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

/**
 * A reason against the calls of its choice. The vendor is said to end a call forced by name with
 * `stop`; no recording shows it, and agents that look at the reason would miss the call.
 */
export function checkFinish(finish: string, calls: readonly Call[], report: Report): void {
  report.need(finishReasons.has(finish), `finish_reason ${finish} is unknown`)
  const isCut = finish === 'length' || finish === 'content_filter'
  const isCall = finish === 'tool_calls'
  report.need(!isCall || calls.length > 0, 'finish_reason tool_calls, but no call')
  report.need(
    isCall || isCut || calls.length === 0,
    `finish_reason ${finish} though tools are called`,
  )
  for (const [at, { kind, text }] of calls.entries()) {
    // An answer that was cut off may end within its last call.
    const mayTear = kind === 'custom' || (isCut && at === calls.length - 1)
    report.need(mayTear || holdsObject(text), `the arguments of call ${at} are no object: ${text}`)
  }
}

/** Usage with the details that clients read, and sums that add up. */
export function checkUsage(usage: JsonObject, report: Report): void {
  needCounts(usage, ['prompt_tokens', 'completion_tokens', 'total_tokens'], report)
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage
  report.need(Number(input) + Number(output) === total, 'total_tokens is not the sum')
  const read = report.object(usage.prompt_tokens_details, 'prompt_tokens_details')
  if (read !== undefined) {
    needCounts(read, ['cached_tokens'], report)
    needCountsIfAny(read, ['cache_write_tokens', 'audio_tokens'], report)
    const cached = Number(read.cached_tokens) + Number(read.cache_write_tokens ?? 0)
    report.need(cached <= Number(input), 'more cached tokens than prompt_tokens')
  }
  const written = report.object(usage.completion_tokens_details, 'completion_tokens_details')
  if (written !== undefined) {
    needCounts(written, ['reasoning_tokens'], report)
    const isPart = Number(written.reasoning_tokens) <= Number(output)
    report.need(isPart, 'more reasoning_tokens than completion_tokens')
  }
}

/** The last chunk of a broken stream: nothing but the error, in the shape of an error body. */
export function checkError(chunk: JsonObject, report: Report): void {
  report.need(Object.keys(chunk).length === 1, 'an error beside other fields')
  const error = report.object(chunk.error, 'error')
  if (error === undefined) return
  report.need(isFilled(error.message), 'error.message is empty')
  report.need(isFilled(error.type), 'error.type is empty')
  report.need(isTextOrNull(error.code), 'error.code is neither text nor null')
  needTextIfAny(error, ['param'], report)
}

/** Violations of an unstreamed completion. */
export function validateChatBody(body: unknown): readonly string[] {
  const report = createReport()
  report.at('body')
  const completion = report.object(body, 'it')
  if (completion === undefined) return report.violations
  checkHead(completion, 'chat.completion', report)
  const choices = report.objects(completion.choices, 'choices')
  report.need(choices.length > 0, 'no choices')
  for (const [at, choice] of choices.entries()) {
    report.at(`choice ${at}`)
    checkChoice(choice, at, report)
  }
  report.at('usage')
  const usage = report.object(completion.usage, 'usage')
  if (usage !== undefined) checkUsage(usage, report)
  return report.violations
}

function checkChoice(choice: JsonObject, at: number, report: Report): void {
  report.need(choice.index === at, `index is ${choice.index}`)
  const message = report.object(choice.message, 'message')
  if (message === undefined) return
  report.need(message.role === 'assistant', 'role is not assistant')
  report.need(isTextOrNull(message.content), 'content is neither text nor null')
  needTextIfAny(message, ['refusal', 'reasoning_content', 'reasoning'], report)
  const wire =
    message.tool_calls === undefined ? [] : report.objects(message.tool_calls, 'tool_calls')
  const calls = wire.map((call) => readCall(call, report))
  report.need(new Set(calls.map(({ id }) => id)).size === calls.length, 'two calls have one id')
  checkFinish(String(choice.finish_reason), calls, report)
}

function readCall(call: JsonObject, report: Report): Call {
  const kind = call.type === 'custom' ? 'custom' : 'function'
  report.need(isFilled(call.id), 'a tool call without id')
  report.need(call.type === kind, `a tool call of type ${call.type}`)
  const payload = report.object(call[kind], `${kind} of a tool call`) ?? {}
  report.need(isFilled(payload.name), 'a tool call without name')
  const text = kind === 'custom' ? payload.input : payload.arguments
  report.need(typeof text === 'string', 'the arguments of a tool call are no text')
  return { id: call.id, kind, text: String(text) }
}
