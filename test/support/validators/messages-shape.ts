import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  createReport,
  isCount,
  isFilled,
  isTextOrNull,
  needCounts,
  needCountsIfAny,
  type Report,
} from './shared.ts'

/** A message, begun or whole: what both have. */
export function checkMessage(message: JsonObject, report: Report): void {
  report.need(isFilled(message.id), 'message.id is empty')
  report.need(message.type === 'message', 'message.type is not message')
  report.need(message.role === 'assistant', 'message.role is not assistant')
  report.need(isFilled(message.model), 'message.model is empty')
  const usage = report.object(message.usage, 'message.usage')
  if (usage === undefined) return
  // Clients add these up without asking whether they are there.
  needCounts(usage, ['input_tokens', 'output_tokens', ...cacheCounts], report)
  checkUsageDetails(usage, report)
}

const cacheCounts = ['cache_creation_input_tokens', 'cache_read_input_tokens']

/** Usage at the end: its counts are those of the whole message, and only the output must be told. */
export function checkUsageDelta(usage: JsonObject, report: Report): void {
  needCounts(usage, ['output_tokens'], report)
  needCountsIfAny(usage, ['input_tokens', ...cacheCounts], report)
  checkUsageDetails(usage, report)
}

function checkUsageDetails(usage: JsonObject, report: Report): void {
  const { cache_creation: writes, output_tokens_details: details } = usage
  if (isJsonObject(writes)) {
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = writes
    needCounts(writes, ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'], report)
    const isSum = Number(short) + Number(long) === usage.cache_creation_input_tokens
    report.need(isSum, 'cache_creation_input_tokens is not the sum of cache_creation')
  }
  if (isJsonObject(details)) {
    const { thinking_tokens: thinking } = details
    const isPart = isCount(thinking) && thinking <= Number(usage.output_tokens)
    report.need(isPart, 'thinking_tokens is no part of output_tokens')
  }
}

/** One block of content, begun or whole. Blocks of the vendor's own tools are not looked into. */
export function checkBlock(block: JsonObject, report: Report): void {
  const { type } = block
  report.need(isFilled(type), 'a block without type')
  if (type === 'text') report.need(typeof block.text === 'string', 'text without text')
  if (type === 'thinking') {
    report.need(typeof block.thinking === 'string', 'thinking without thinking')
    report.need(typeof block.signature === 'string', 'thinking without signature')
  }
  if (type === 'redacted_thinking') report.need(isFilled(block.data), 'redacted without data')
  if (type === 'tool_use') {
    report.need(isFilled(block.id), 'tool_use without id')
    report.need(isFilled(block.name), 'tool_use without name')
    report.need(isJsonObject(block.input), 'tool_use whose input is no object')
  }
}

/** SDK types `StopReason` and `BetaStopReason`. */
const stopReasons = new Set([
  ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal'],
  ...['model_context_window_exceeded', 'compaction'],
])

/** How a message ended: `end` is a message, or the delta of a message_delta. */
export function checkStop(end: JsonObject, blocks: readonly string[], report: Report): void {
  const { stop_reason: reason, stop_sequence: sequence } = end
  report.need(stopReasons.has(String(reason)), `stop_reason ${reason} is unknown`)
  report.need(isTextOrNull(sequence), 'stop_sequence is neither text nor null')
  const fits = (reason === 'stop_sequence') === (typeof sequence === 'string')
  report.need(fits, 'stop_sequence does not fit stop_reason')
  const isCalled = blocks.includes('tool_use')
  report.need(isCalled || reason !== 'tool_use', 'stop_reason tool_use without a tool_use block')
  const isPlain = reason === 'end_turn' || reason === 'stop_sequence'
  report.need(!isCalled || !isPlain, `stop_reason ${reason} though a tool is called`)
}

/** Kinds of errors: the SDK's `ErrorType`, and `request_too_large` of the page "Errors". */
const errorKinds = new Set([
  ...['invalid_request_error', 'authentication_error', 'billing_error', 'permission_error'],
  ...['not_found_error', 'request_too_large', 'rate_limit_error', 'timeout_error', 'api_error'],
  ...['overloaded_error', 'conflict_error'],
])

/** The event that a broken stream ends with. */
export function checkError(event: JsonObject, report: Report): void {
  const error = report.object(event.error, 'error')
  if (error === undefined) return
  report.need(errorKinds.has(String(error.type)), `error.type ${error.type} is unknown`)
  report.need(isFilled(error.message), 'error.message is empty')
}

/** Violations of an unstreamed message. */
export function validateMessagesBody(body: unknown): readonly string[] {
  const report = createReport()
  report.at('body')
  const message = report.object(body, 'it')
  if (message === undefined) return report.violations
  checkMessage(message, report)
  const blocks = report.objects(message.content, 'content')
  for (const block of blocks) checkBlock(block, report)
  const kinds = blocks.map((block) => String(block.type))
  checkStop(message, kinds, report)
  const ids = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
  report.need(new Set(ids).size === ids.length, 'two tool_use blocks have one id')
  return report.violations
}
