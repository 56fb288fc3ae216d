import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  createReport,
  holdsObject,
  isCount,
  isFilled,
  needCounts,
  needCountsIfAny,
  type Report,
} from './shared.ts'

/** A response object: the members that the SDK's type `Response` has as required. */
export function checkResponse(response: JsonObject, status: string, report: Report): void {
  report.need(response.object === 'response', `object is ${response.object}`)
  report.need(isFilled(response.id), 'response.id is empty')
  report.need(isFilled(response.model), 'response.model is empty')
  report.need(isCount(response.created_at), 'created_at is no time')
  report.need(response.status === status, `status is ${response.status}, not ${status}`)
  report.need(response.error === null, 'error is not null')
  report.need(Array.isArray(response.tools), 'tools is no array')
  report.need(typeof response.parallel_tool_calls === 'boolean', 'no parallel_tool_calls')
  for (const field of ['instructions', 'metadata', 'temperature', 'top_p', 'tool_choice']) {
    report.need(response[field] !== undefined, `no ${field}: it may be null, not absent`)
  }
  const { incomplete_details: details } = response
  const reason = isJsonObject(details) ? details.reason : details
  const isReason = reason === 'max_output_tokens' || reason === 'content_filter'
  const fits = status === 'incomplete' ? isReason : reason === null
  report.need(fits, `incomplete_details ${reason} with status ${status}`)
  if (status !== 'completed' && status !== 'incomplete') return
  for (const item of report.objects(response.output, 'output')) checkEnded(item, status, report)
  const usage = report.object(response.usage, 'usage')
  if (usage !== undefined) checkUsage(usage, report)
}

/** An item of a response that has ended. Those of the vendor's own tools have ways of their own. */
function checkEnded(item: JsonObject, responseStatus: string, report: Report): void {
  checkItem(item, report)
  const { type, status } = item
  if (type !== 'message' && type !== 'function_call') return
  const isCut = responseStatus === 'incomplete' && status === 'incomplete'
  const fits = status === 'completed' || isCut || isOfProgram(item)
  report.need(fits, `a ${type} with status ${status}`)
  const isWhole = type === 'message' || isCut || holdsObject(item.arguments)
  report.need(isWhole, `arguments are no object: ${item.arguments}`)
}

/** Whether a call was made by a program of the vendor's: it stays in progress until that ends. */
export function isOfProgram({ caller }: JsonObject): boolean {
  return isJsonObject(caller) && caller.type === 'program'
}

function checkUsage(usage: JsonObject, report: Report): void {
  needCounts(usage, ['input_tokens', 'output_tokens', 'total_tokens'], report)
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  report.need(Number(input) + Number(output) === total, 'total_tokens is not the sum')
  const read = report.object(usage.input_tokens_details, 'input_tokens_details')
  if (read !== undefined) {
    needCounts(read, ['cached_tokens'], report)
    needCountsIfAny(read, ['cache_write_tokens'], report)
    const cached = Number(read.cached_tokens) + Number(read.cache_write_tokens ?? 0)
    report.need(cached <= Number(input), 'more cached tokens than input_tokens')
  }
  const written = report.object(usage.output_tokens_details, 'output_tokens_details')
  if (written !== undefined) {
    needCounts(written, ['reasoning_tokens'], report)
    const isPart = Number(written.reasoning_tokens) <= Number(output)
    report.need(isPart, 'more reasoning_tokens than output_tokens')
  }
}

/** The end of a broken stream. `output` may be left out: the SDK fills it with what it has. */
export function checkFailed(response: JsonObject, report: Report): void {
  const { object, status, output } = response
  report.need(object === 'response', `object is ${object}`)
  report.need(status === 'failed', `status is ${status}, not failed`)
  if (output !== undefined) report.objects(output, 'output')
  const error = report.object(response.error, 'error')
  report.need(isFilled(error?.code), 'error.code is empty')
  report.need(isFilled(error?.message), 'error.message is empty')
}

/** An item, begun or done. */
export function checkItem(item: JsonObject, report: Report): void {
  const { type, role, encrypted_content: seal } = item
  report.need(isFilled(type), 'an item without type')
  const parts: JsonObject[] = []
  if (type === 'message') {
    report.need(role === 'assistant', `a message with role ${role}`)
    parts.push(...report.objects(item.content, 'content'))
  }
  if (type === 'reasoning') {
    parts.push(...report.objects(item.summary, 'summary'))
    if (item.content !== undefined) parts.push(...report.objects(item.content, 'content'))
    report.need((seal ?? null) === null || isFilled(seal), 'encrypted_content is empty')
  }
  for (const part of parts) checkPart(part, type, report)
  if (type === 'function_call' || type === 'custom_tool_call') {
    report.need(isFilled(item.call_id), `a ${type} without call_id`)
    report.need(isFilled(item.name), `a ${type} without name`)
    const text = type === 'function_call' ? item.arguments : item.input
    report.need(typeof text === 'string', `a ${type} without its text`)
  }
}

/** The parts of each kind of item. */
const partKinds = new Map<unknown, readonly unknown[]>([
  ['message', ['output_text', 'refusal']],
  ['reasoning', ['summary_text', 'reasoning_text']],
])

/** A part of an item's content or summary, begun or done. */
export function checkPart(part: JsonObject, owner: unknown, report: Report): void {
  const { type, annotations } = part
  report.need(partKinds.get(owner)?.includes(type) === true, `a part ${type} of a ${owner}`)
  report.need(typeof textOf(part) === 'string', `a part ${type} without text`)
  const isAnnotated = type !== 'output_text' || Array.isArray(annotations)
  report.need(isAnnotated, 'annotations is no array')
}

/** What a part says. */
export function textOf({ type, refusal, text }: JsonObject): unknown {
  return type === 'refusal' ? refusal : text
}

/** Violations of an unstreamed response. */
export function validateResponsesBody(body: unknown): readonly string[] {
  const report = createReport()
  report.at('body')
  const response = report.object(body, 'it')
  if (response === undefined) return report.violations
  const isCut = response.status === 'incomplete'
  checkResponse(response, isCut ? 'incomplete' : 'completed', report)
  const { output } = response
  const ids = (Array.isArray(output) ? output : []).filter(isJsonObject).map(({ id }) => id)
  report.need(ids.every(isFilled), 'an item without id')
  report.need(new Set(ids).size === ids.length, 'two items have one id')
  return report.violations
}

/** Events of the vendor's own tools, by the SDK's types. They are not looked into. */
export const toolKinds: ReadonlySet<string> = new Set(
  [
    ...['code_interpreter_call.in_progress', 'code_interpreter_call.interpreting'],
    ...['code_interpreter_call.completed', 'file_search_call.in_progress'],
    ...['file_search_call.searching', 'file_search_call.completed'],
    ...['web_search_call.in_progress', 'web_search_call.searching', 'web_search_call.completed'],
    ...['image_generation_call.in_progress', 'image_generation_call.generating'],
    ...['image_generation_call.partial_image', 'image_generation_call.completed'],
    ...['mcp_call.in_progress', 'mcp_call.completed', 'mcp_call.failed'],
    ...['mcp_list_tools.in_progress', 'mcp_list_tools.completed', 'mcp_list_tools.failed'],
    ...['shell_call_command.added', 'shell_call_command.delta', 'shell_call_command.done'],
    ...['shell_call_output_content.delta', 'shell_call_output_content.done'],
    'compaction.compacting',
  ].map((kind) => `response.${kind}`),
)
