import { describe, expect, test } from 'bun:test'
import type { AnswerEvent, FinishReason } from '../../../src/protocols/canonical/answer.ts'
import { foldUsage } from '../../../src/protocols/canonical/extras.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { encodeResponsesUsage, responsesReports } from '../../../src/protocols/responses/usage.ts'
import { context, encodeStream, request } from './scene.ts'
import { checkStream, eventsOf } from './stream-checker.ts'

const usage = {
  ...emptyUsage,
  inputTokens: 3,
  cacheReadTokens: 4,
  outputTokens: 5,
  reasoningTokens: 2,
}
const start: AnswerEvent = { type: 'start', id: 'msg_up', model: 'up', createdAt: 9 }
const text = (id: string, ...pieces: string[]): AnswerEvent[] => [
  { type: 'text-start', id, choice: 0 },
  ...pieces.map((piece): AnswerEvent => ({ type: 'text-delta', id, text: piece })),
  { type: 'text-end', id },
]
const reasoning = (
  id: string,
  signature: string | undefined,
  ...pieces: string[]
): AnswerEvent[] => [
  { type: 'reasoning-start', id, choice: 0 },
  ...pieces.map((piece): AnswerEvent => ({ type: 'reasoning-delta', id, text: piece })),
  { type: 'reasoning-end', id, signature },
]
const call = (id: string, name: string, kind: 'function' | 'custom', ...pieces: string[]) => [
  { type: 'tool-call-start', id, choice: 0, callId: `call_${id}`, name, kind } as const,
  ...pieces.map((piece): AnswerEvent => ({ type: 'tool-call-delta', id, text: piece })),
  { type: 'tool-call-end', id } as const,
]
const ending = (reason: FinishReason = 'stop'): AnswerEvent[] => [
  { type: 'finish', choice: 0, reason },
  { type: 'end', usage },
]
const typesOf = (stream: string) =>
  eventsOf(stream).map(({ type }) => type.replace('response.', ''))
const error = {
  status: 502,
  code: 'upstream_error',
  message: 'Broke off.',
  param: undefined,
  requestId: 'r1',
}

describe('a client’s stream', () => {
  test('T11: reasoning, text, calls and reasoning again are items of their own', () => {
    const stream = encodeStream([
      start,
      ...reasoning('a', 'S1', 'h', 'm'),
      ...reasoning('b', 'S2', 'oh'),
      ...text('c', 'Hel', 'lo'),
      ...call('d', 'get', 'function', '{"a"', ':1}'),
      ...call('e', 'apply_patch', 'custom', '***'),
      ...ending('tool-calls'),
    ])
    const { output, ...response } = checkStream(stream)
    expect(output).toEqual([
      {
        id: 'rs_r1_0',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'S1',
      },
      {
        id: 'rs_r1_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'oh' }],
        encrypted_content: 'S2',
      },
      {
        id: 'msg_r1_2',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] } as never],
      },
      {
        id: 'fc_r1_3',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_d',
        name: 'get',
        arguments: '{"a":1}',
      },
      {
        id: 'ctc_r1_4',
        type: 'custom_tool_call',
        status: 'completed',
        call_id: 'call_e',
        name: 'apply_patch',
        input: '***',
      },
    ])
    expect(response).toMatchObject({
      id: 'resp_r1',
      created_at: 9,
      model: 'fast',
      status: 'completed',
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 12,
      },
    })
  })

  test('has the vendor’s events in the vendor’s order', () => {
    const citations = [{ type: 'url', url: 'https://a', title: 'A', start: 0, end: 1 }] as const
    const stream = encodeStream([
      start,
      ...reasoning('a', 'S', 'hm'),
      { type: 'text-start', id: 'b', choice: 0 },
      { type: 'text-delta', id: 'b', text: 'T' },
      { type: 'text-end', id: 'b', citations },
      { type: 'refusal-start', id: 'c', choice: 0 },
      { type: 'refusal-delta', id: 'c', text: 'No' },
      { type: 'refusal-end', id: 'c' },
      ...call('d', 'get', 'function'),
      ...ending(),
    ])
    checkStream(stream)
    expect(typesOf(stream)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.annotation.added',
      'output_text.done',
      'content_part.done',
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
  })

  test('S1: what is there is written at once', () => {
    const encoder = responses.codec.createEncoder(context)
    const events = [
      start,
      ...text('a', 'x', 'y'),
      ...call('b', 'get', 'function', '{}'),
      ...ending(),
    ]
    const written = events.map((event) => [event.type, typesOf(encoder.push(event)).length])
    expect(written).toEqual([
      ['start', 2],
      ['text-start', 0],
      ['text-delta', 3],
      ['text-delta', 1],
      ['text-end', 2],
      ['tool-call-start', 2],
      ['tool-call-delta', 1],
      ['tool-call-end', 1],
      ['finish', 0],
      ['end', 2],
    ])
  })

  test('T12: calls that overlap are one after the other, the first of them at once', () => {
    const [a, b] = [
      call('a', 'f', 'function', '{"a":', '1}'),
      call('b', 'g', 'function', '{"b":', '2}'),
    ]
    const mixed = [0, 1, 2, 3].flatMap((at) => [a[at], b[at]]) as AnswerEvent[]
    const encoder = responses.codec.createEncoder(context)
    const [, , first = ''] = [start, ...mixed].map((event) => encoder.push(event))
    expect(first).toBe('')
    const { output } = checkStream(encodeStream([start, ...mixed, ...ending('tool-calls')]))
    expect(output).toMatchObject([
      { name: 'f', call_id: 'call_a', arguments: '{"a":1}' },
      { name: 'g', call_id: 'call_b', arguments: '{"b":2}' },
    ])
  })

  test('blocks that nobody ended are ended with the answer', () => {
    const open = [
      start,
      ...text('a', 'x').slice(0, 2),
      ...call('b', 'f', 'function', '{}').slice(0, 2),
    ]
    const { output } = checkStream(encodeStream([...open, ...ending()]))
    expect(output).toMatchObject([{ type: 'message' }, { type: 'function_call', arguments: '{}' }])
  })

  test('late pieces, unknown blocks, empty blocks and other answers add nothing', () => {
    const stream = encodeStream([
      start,
      ...text('a', 'x'),
      { type: 'text-delta', id: 'a', text: 'late' },
      { type: 'text-delta', id: 'nobody', text: 'lost' },
      ...text('b'),
      ...text('c', ''),
      ...reasoning('d', undefined),
      { type: 'text-start', id: 'e', choice: 1 },
      { type: 'text-delta', id: 'e', text: 'other' },
      { type: 'text-end', id: 'e' },
      {
        type: 'image',
        choice: 0,
        image: { type: 'image', source: { type: 'url', url: 'https://a' } },
      },
      { type: 'finish', choice: 1, reason: 'length' },
      ...ending(),
    ])
    const { output, status } = checkStream(stream)
    expect(output.map(({ content }) => content?.map((part) => part.text))).toEqual([['x']])
    expect(status).toBe('completed')
  })

  test('T8: a signature without text is an item too', () => {
    const { output } = checkStream(encodeStream([start, ...reasoning('a', 'S'), ...ending()]))
    expect(output).toEqual([
      { id: 'rs_r1_0', type: 'reasoning', summary: [], encrypted_content: 'S' },
    ])
  })

  test('tools are called by the client’s own names, in their sets', () => {
    const tools = [{ kind: 'function', name: 'crm__find', namespace: 'crm' }] as const
    const encoding = { ...context, request: { ...request, tools } }
    const events = [start, ...call('a', 'crm__find', 'function', '{}'), ...ending()]
    expect(checkStream(encodeStream(events, encoding)).output).toMatchObject([
      { type: 'function_call', name: 'find', namespace: 'crm' },
    ])
  })

  test.each<[FinishReason, object]>([
    ['stop', { status: 'completed', incomplete_details: null }],
    ['tool-calls', { status: 'completed' }],
    ['other', { status: 'completed' }],
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['pause', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    ['refusal', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    ['failed', { status: 'failed', error: { code: 'server_error' } }],
  ])('an answer that ended by %s: %j', (reason, expected) => {
    const stream = encodeStream([start, ...text('a', 'x'), ...ending(reason)])
    const response = checkStream(stream)
    expect(response).toMatchObject(expected)
    const isCut = response.status !== 'completed'
    expect(response.output[0]?.status).toBe(isCut ? 'incomplete' : 'completed')
  })

  test('a refusal in words is a complete response', () => {
    const refusal: AnswerEvent[] = [
      { type: 'refusal-start', id: 'a', choice: 0 },
      { type: 'refusal-delta', id: 'a', text: 'No.' },
      { type: 'refusal-end', id: 'a' },
    ]
    const { status, output } = checkStream(encodeStream([start, ...refusal, ...ending('refusal')]))
    expect(status).toBe('completed')
    expect(output[0]?.content).toEqual([{ type: 'refusal', refusal: 'No.' }])
  })

  test('repeats what the request said', () => {
    const body = {
      instructions: 'I',
      max_output_tokens: 9,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      previous_response_id: null,
      reasoning: { effort: 'low', summary: 'auto' },
      store: true,
      temperature: 0,
      text: { format: { type: 'json_object' } },
      tool_choice: 'required',
      tools: [{ type: 'function', name: 'f' }],
      top_p: 0.5,
      user: 'u',
    }
    const response = checkStream(encodeStream([start, ...ending()], { ...context, body }))
    expect(response).toMatchObject({
      ...body,
      store: false,
      text: { format: { type: 'json_object' }, verbosity: 'medium' },
    })
    expect(checkStream(encodeStream([start, ...ending()]))).toMatchObject({
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: 'auto',
      tools: [],
      text: { format: { type: 'text' } },
    })
  })

  test('T19: the id is the gateway’s own, by which it is asked for, whatever the upstream has', () => {
    const own = checkStream(encodeStream([{ type: 'start', id: 'resp_up' }, ...ending()]))
    expect(own).toMatchObject({ id: 'resp_r1', created_at: context.createdAt })
    expect(checkStream(encodeStream(ending()))).toMatchObject({ id: 'resp_r1' })
  })

  test('T18: usage that the upstream tells at the beginning, or never, is told all the same', () => {
    const usage = { ...emptyUsage, inputTokens: 9 }
    const told = [{ type: 'start', usage }, { type: 'end' }] as const
    expect(encodeStream(told)).toContain('"usage":{"input_tokens":9,')
    const estimated = `"usage":{"input_tokens":${context.estimatedInputTokens},`
    expect(encodeStream([{ type: 'start' }, { type: 'end' }])).toContain(estimated)
    const whole = responses.codec.encodeResponse({ choices: [] }, context)
    expect(JSON.stringify(whole)).toContain(estimated)
  })

  test('S3: an error ends it, with the numbers and the answer so far', () => {
    const encoder = responses.codec.createEncoder(context)
    const begun = [start, ...reasoning('a', 'S', 'hm'), ...text('b', 'Hel').slice(0, 2)]
    const stream = begun.map((event) => encoder.push(event)).join('') + encoder.fail(error)
    const response = checkStream(stream)
    const raised = { code: 'upstream_error', message: 'Broke off.' }
    expect(eventsOf(stream).at(-2)).toMatchObject({ type: 'error', ...raised, error: raised })
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'Broke off.' },
      output: [{ type: 'reasoning' }, { status: 'incomplete', content: [{ text: 'Hel' }] }],
    })
    const after = [encoder.fail(error), ...text('c', 'x').map((event) => encoder.push(event))]
    expect(after.join('')).toBe('')
  })

  test('an error before anything is a whole stream, and one after the end is nothing', () => {
    expect(checkStream(responses.codec.createEncoder(context).fail(error)).output).toEqual([])
    const encoder = responses.codec.createEncoder(context)
    for (const event of [start, ...ending()]) encoder.push(event)
    expect(encoder.fail(error)).toBe('')
    expect(encoder.push({ type: 'error', error: { message: 'x' } })).toBe('')
  })
})

describe('a client’s whole answer', () => {
  test('that failed after all says so', () => {
    const answer = responses.codec.encodeResponse(
      { choices: [], error: { message: 'No.' } },
      context,
    )
    expect(answer).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'No.' },
      output: [],
    })
  })
})

test('usage is the same there and back, but for the life of cache writes', () => {
  const all = { ...usage, cacheWriteTokens: 6, cacheWrite1hTokens: 0 }
  for (const counts of [emptyUsage, usage, all]) {
    expect(foldUsage(responsesReports, encodeResponsesUsage(counts))).toEqual(counts)
  }
  const hour = { ...usage, cacheWriteTokens: 1, cacheWrite1hTokens: 2 }
  expect(foldUsage(responsesReports, encodeResponsesUsage(hour))).toEqual({
    ...hour,
    cacheWriteTokens: 3,
    cacheWrite1hTokens: 0,
  })
})
