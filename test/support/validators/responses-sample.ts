import type { JsonObject } from '../../../src/protocols/protocol.ts'

/** A response that has just begun. */
export const head = {
  id: 'resp_1',
  object: 'response',
  created_at: 1700000000,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'gpt-x',
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: null,
}
export const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 12, cache_write_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 30,
}

const summaryPart = { type: 'summary_text', text: 'Where?' }
const citation = { type: 'url_citation', url: 'https://example.org', start_index: 0, end_index: 1 }
const textPart = { type: 'output_text', text: 'I look.', annotations: [citation], logprobs: [] }
export const reasoning = {
  id: 'rs_0',
  type: 'reasoning',
  encrypted_content: 'c2Vh',
  summary: [summaryPart],
}
export const message = {
  id: 'msg_0',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [textPart],
}
export const call = {
  id: 'fc_0',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_0',
  name: 'weather',
  arguments: '{"city":"Paris"}',
}
const custom = {
  id: 'ct_0',
  type: 'custom_tool_call',
  call_id: 'call_1',
  name: 'sql',
  input: 'select',
}
export const output: readonly JsonObject[] = [reasoning, message, call, custom]

/** An event of an item: of its own, or of its part 0 in the list named. */
export const of = (
  kind: string,
  index: number,
  members: JsonObject,
  list?: 'content' | 'summary',
): JsonObject => ({
  type: `response.${kind}`,
  item_id: output[index]?.id,
  output_index: index,
  ...(list === undefined ? {} : { [`${list}_index`]: 0 }),
  ...members,
})
export const added = (index: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
})
export const done = (index: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
})
/** The same response at its end. */
export const whole = { ...head, status: 'completed', output, usage }

/** Its stream, without sequence numbers: reasoning, a message, a function's call, a custom tool's. */
export const good: readonly JsonObject[] = [
  { type: 'response.created', response: head },
  { type: 'response.in_progress', response: head }, // 1
  added(0, { ...reasoning, summary: [] }), // 2
  of('reasoning_summary_part.added', 0, { part: { ...summaryPart, text: '' } }, 'summary'), // 3
  of('reasoning_summary_text.delta', 0, { delta: 'Where?' }, 'summary'), // 4
  of('reasoning_summary_text.done', 0, { text: 'Where?' }, 'summary'), // 5
  of('reasoning_summary_part.done', 0, { part: summaryPart }, 'summary'), // 6
  done(0, { ...reasoning, encrypted_content: 'b3RoZXI' }), // 7
  added(1, { ...message, status: 'in_progress', content: [] }), // 8
  of('content_part.added', 1, { part: { ...textPart, text: '', annotations: [] } }, 'content'), // 9
  of('output_text.delta', 1, { delta: 'I ', logprobs: [] }, 'content'), // 10
  of('output_text.delta', 1, { delta: 'look.', logprobs: [] }, 'content'), // 11
  of('output_text.annotation.added', 1, { annotation_index: 0, annotation: citation }, 'content'), // 12
  of('output_text.done', 1, { text: 'I look.', logprobs: [] }, 'content'), // 13
  of('content_part.done', 1, { part: textPart }, 'content'), // 14
  done(1, message), // 15
  added(2, { ...call, status: 'in_progress', arguments: '' }), // 16
  of('function_call_arguments.delta', 2, { delta: '{"city":' }), // 17
  of('function_call_arguments.delta', 2, { delta: '"Paris"}' }), // 18
  of('function_call_arguments.done', 2, { arguments: call.arguments }), // 19
  done(2, call), // 20
  added(3, { ...custom, input: '' }), // 21
  of('custom_tool_call_input.delta', 3, { delta: 'select' }), // 22
  of('custom_tool_call_input.done', 3, { input: 'select' }), // 23
  done(3, custom), // 24
  { type: 'response.completed', response: whole }, // 25
]

/** The event at a place of it. */
export function event(at: number): JsonObject {
  return good[at] ?? {}
}

/** Events with the numbers that a stream has. */
export function numbered(events: readonly JsonObject[]): readonly JsonObject[] {
  return events.map((each, at) => ({ ...each, sequence_number: at }))
}
