import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { checkChunks } from './chunk-checker.ts'
import { bytes, context, decodeStream, folded, visible, wantsUsage, write } from './codec-scene.ts'

const usage = { ...emptyUsage, inputTokens: 10, outputTokens: 4, cacheReadTokens: 2 }
const start: AnswerEvent = { type: 'start', id: 'msg_1', model: 'up', createdAt: 9 }
const stop: AnswerEvent = { type: 'finish', choice: 0, reason: 'stop' }
const end: AnswerEvent = { type: 'end', usage }
const text = (id: string, ...pieces: string[]): AnswerEvent[] => [
  { type: 'text-start', id, choice: 0 },
  ...pieces.map((piece): AnswerEvent => ({ type: 'text-delta', id, text: piece })),
  { type: 'text-end', id },
]
const reasoning = (id: string, piece: string, signature?: string): AnswerEvent[] => [
  { type: 'reasoning-start', id, choice: 0 },
  { type: 'reasoning-delta', id, text: piece },
  { type: 'reasoning-end', id, signature },
]
const begin = (
  id: string,
  callId: string,
  kind: 'function' | 'custom' = 'function',
): AnswerEvent => ({
  type: 'tool-call-start',
  id,
  choice: 0,
  callId,
  name: `tool_${id}`,
  kind,
})
const add = (id: string, piece: string): AnswerEvent => ({
  type: 'tool-call-delta',
  id,
  text: piece,
})
const close = (id: string): AnswerEvent => ({ type: 'tool-call-end', id })
const error = {
  status: 502,
  code: 'upstream_error',
  message: 'Gone.',
  param: undefined,
  requestId: 'req1',
}

/** The choices of the chunks, in order; of those with one, that one. */
function deltas(written: string): readonly unknown[] {
  return written
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .flatMap((frame) => (JSON.parse(frame.slice(6)) as { choices: JsonObject[] }).choices)
    .map(({ delta, finish_reason }) => finish_reason ?? delta)
}

describe('an answer as a chat stream', () => {
  test('T13, T19: says whose words they are first, and is the client’s in every chunk', () => {
    const written = write([start, ...text('t', 'Hel', 'lo "\n'), stop, end], context())
    const head =
      '"id":"chatcmpl-req1","object":"chat.completion.chunk","created":9,"model":"client-model"'
    const line = (delta: string, reason = 'null') =>
      `data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}\n\n`
    expect(written).toBe(
      line('{"role":"assistant","content":""}') +
        line('{"content":"Hel"}') +
        line('{"content":"lo \\"\\n"}') +
        line('{}', '"stop"') +
        'data: [DONE]\n\n',
    )
  })

  test('T13: the role comes with the start, before anything is said', () => {
    const encoder = chatCodec.createEncoder(context())
    expect(deltas(encoder.push(start))).toEqual([{ role: 'assistant', content: '' }])
  })

  test('T19: an id that looks like one stays, and a missing time is the gateway’s', () => {
    const written = write([{ type: 'start', id: 'chatcmpl-77' }, stop, end])
    expect(written).toContain('"id":"chatcmpl-77"')
    expect(written).toContain('"created":1700000000')
  })

  test('T12: two parallel calls behind a text have the indexes 0 and 1', () => {
    const written = write([
      start,
      ...text('t', 'Hm'),
      begin('a', 'c1'),
      add('a', '{"x"'),
      begin('b', 'c2'),
      add('b', '{'),
      add('a', ':1}'),
      close('a'),
      add('b', '}'),
      close('b'),
      { ...stop, reason: 'tool-calls' },
      end,
    ])
    const { choices } = checkChunks(written, true)
    expect(choices.get(0)).toEqual({
      text: 'Hm',
      calls: [
        { type: 'function', id: 'c1', name: 'tool_a', input: '{"x":1}' },
        { type: 'function', id: 'c2', name: 'tool_b', input: '{}' },
      ],
      reason: 'tool_calls',
    })
  })

  test('T14: custom calls are custom', () => {
    const written = write([
      start,
      begin('a', 'c1', 'custom'),
      add('a', 'free'),
      close('a'),
      stop,
      end,
    ])
    expect(deltas(written).slice(1)).toEqual([
      {
        tool_calls: [{ index: 0, id: 'c1', type: 'custom', custom: { name: 'tool_a', input: '' } }],
      },
      { tool_calls: [{ index: 0, custom: { input: 'free' } }] },
      'tool_calls',
    ])
  })

  test('T4: a call that came without arguments has an empty object of them', () => {
    const written = write([start, begin('a', 'c1'), close('a'), stop, end])
    expect(checkChunks(written, true).choices.get(0)?.calls[0]?.input).toBe('{}')
  })

  test('reasoning is shown, and its signatures follow once, at the end', () => {
    const written = write([
      start,
      ...reasoning('r', 'one', 's1'),
      ...reasoning('q', 'two', 's2'),
      ...text('t', 'so'),
      stop,
      end,
    ])
    const detail = (data: string, index: number) => ({
      type: 'reasoning.encrypted',
      data,
      id: null,
      format: 'tollgate',
      index,
    })
    expect(deltas(written).slice(1)).toEqual([
      { reasoning_content: 'one' },
      { reasoning_content: '\n\ntwo' },
      { content: 'so' },
      { reasoning_details: [detail('s1', 0), detail('s2', 1)] },
      'stop',
    ])
  })

  test('citations follow their text, with places in the whole of it', () => {
    const citation = { type: 'url', url: 'https://a.test', title: 'A', start: 1, end: 3 } as const
    const document = { type: 'document', title: 'D', raw: {} } as const
    const written = write([
      start,
      ...text('t', 'four'),
      { type: 'text-start', id: 'u', choice: 0 },
      { type: 'text-delta', id: 'u', text: 'five' },
      {
        type: 'text-end',
        id: 'u',
        citations: [citation, document, { type: 'url', url: 'https://b.test' }],
      },
      stop,
      end,
    ])
    const note = (url: string, title: string, start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index, end_index },
    })
    expect(deltas(written).slice(3, -1)).toEqual([
      { annotations: [note('https://a.test', 'A', 5, 7), note('https://b.test', '', 0, 0)] },
    ])
  })

  test('refusals, images and probabilities have their fields', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a.test' } } as const
    const written = write([
      start,
      { type: 'text-start', id: 't', choice: 0 },
      { type: 'text-delta', id: 't', text: 'a', logprobs: [{ token: 'a', logprob: -1, top: [] }] },
      { type: 'text-end', id: 't' },
      { type: 'refusal-start', id: 'n', choice: 0 },
      { type: 'refusal-delta', id: 'n', text: 'No' },
      { type: 'refusal-end', id: 'n' },
      { type: 'image', choice: 0, image },
      { ...stop, reason: 'refusal' },
      end,
    ])
    expect(written).toContain(
      '"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":null}',
    )
    expect(deltas(written).slice(1)).toEqual([
      { content: 'a' },
      { refusal: 'No' },
      { images: [{ type: 'image_url', image_url: { url: 'https://a.test' } }] },
      'stop',
    ])
  })

  test('answers side by side each have a beginning, calls from 0 and an end', () => {
    const written = write([
      start,
      begin('a', 'c1'),
      { ...begin('b', 'c2'), choice: 1 } as AnswerEvent,
      close('a'),
      close('b'),
      stop,
      { type: 'finish', choice: 1, reason: 'length' },
      end,
    ])
    const { choices } = checkChunks(written, true)
    expect([...choices].map(([index, { calls, reason }]) => [index, calls.length, reason])).toEqual(
      [
        [0, 1, 'tool_calls'],
        [1, 1, 'length'],
      ],
    )
  })

  test('an answer that was not said to end has an end', () => {
    const written = write([start, ...text('t', 'a'), begin('a', 'c1'), close('a'), end])
    expect(checkChunks(written, true).choices.get(0)?.reason).toBe('tool_calls')
  })

  const reasons = [
    ['stop', 'stop'],
    ['length', 'length'],
    ['filter', 'content_filter'],
    ['refusal', 'content_filter'],
    ['pause', 'stop'],
    ['failed', 'error'],
    ['other', 'stop'],
  ] as const
  test('every reason of the end has its word', () => {
    for (const [reason, told] of reasons) {
      expect([reason, deltas(write([start, { ...stop, reason }, end])).at(-1)]).toEqual([
        reason,
        told,
      ])
    }
  })
})

describe('the usage of a chat stream', () => {
  test('is told to those who ask, in a chunk behind the end, and is null before', () => {
    const written = write([
      start,
      ...text('t', 'a'),
      stop,
      { ...end, serviceTier: 'flex' } as AnswerEvent,
    ])
    expect(checkChunks(written, true).usage).toEqual({
      prompt_tokens: 12,
      completion_tokens: 4,
      total_tokens: 16,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    })
    expect(written).toContain('"choices":[],"service_tier":"flex"')
  })

  test('is not told to others', () => {
    const events = [start, ...text('t', 'a'), stop, end]
    for (const body of [
      {},
      { stream_options: null },
      { stream_options: { include_usage: false } },
    ]) {
      expect(write(events, context(body))).not.toContain('usage')
    }
  })

  test('T18: is estimated where the upstream never told it', () => {
    const written = write([start, stop, { type: 'end' }])
    expect(checkChunks(written, true).usage).toMatchObject({
      prompt_tokens: 77,
      completion_tokens: 0,
    })
    const early = write([{ ...start, usage } as AnswerEvent, stop, { type: 'end' }])
    expect(checkChunks(early, true).usage).toMatchObject({ prompt_tokens: 12 })
  })
})

describe('a chat stream that breaks off', () => {
  test('S3: ends with the error, without [DONE], and nothing follows', () => {
    const encoder = chatCodec.createEncoder(wantsUsage)
    const before = [start, ...text('t', 'a').slice(0, 2)]
      .map((event) => encoder.push(event))
      .join('')
    const written =
      before + encoder.push({ type: 'error', error: { message: 'x' } }) + encoder.fail(error)
    const checked = checkChunks(written, true)
    expect(checked).toMatchObject({
      isDone: false,
      error: { message: 'Gone.', type: 'api_error', code: 'upstream_error' },
    })
    expect([stop, end].map((event) => encoder.push(event)).join('') + encoder.fail(error)).toBe('')
  })

  test('may break off before it began, and never behind its end', () => {
    expect(chatCodec.createEncoder(context()).fail(error)).toStartWith('data: {"error":')
    const encoder = chatCodec.createEncoder(context())
    for (const event of [start, stop, end]) encoder.push(event)
    expect(encoder.fail(error)).toBe('')
    expect(encoder.push(end)).toBe('')
  })
})

describe('the vendor’s own SDK', () => {
  const events = [
    start,
    ...reasoning('r', 'hm', 'sig'),
    ...text('t', 'Hel', 'lo'),
    begin('a', 'c1'),
    add('a', '{"x":'),
    begin('b', 'c2'),
    add('a', '1}'),
    add('b', '{}'),
    close('a'),
    close('b'),
    { ...stop, reason: 'tool-calls' } as AnswerEvent,
    end,
  ]

  test('reads a stream as the answer that it is', async () => {
    const openai = new OpenAI({
      apiKey: 'k',
      baseURL: 'http://127.0.0.1:9/v1',
      maxRetries: 0,
      fetch: () =>
        Promise.resolve(
          new Response(write(events), { headers: { 'content-type': 'text/event-stream' } }),
        ),
    })
    const stream = openai.chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
    })
    const { choices, usage: told } = await stream.finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Hello',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'tool_a', arguments: '{"x":1}' } },
          { id: 'c2', type: 'function', function: { name: 'tool_b', arguments: '{}' } },
        ],
      },
    })
    expect(told?.total_tokens).toBe(16)
  })

  test('and the decoder here read the same', () => {
    const again = visible(folded(decodeStream([bytes(write(events))])))
    expect(again).toEqual(visible(folded(events)))
  })
})
