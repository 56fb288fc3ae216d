import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import type { AnswerEvent, FinishReason } from '../../../src/protocols/canonical/answer.ts'
import type { Usage } from '../../../src/protocols/canonical/usage.ts'
import { objectIn } from '../../../src/protocols/json.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject, ProtocolError } from '../../../src/protocols/protocol.ts'
import { checkStream } from './check-stream.ts'
import { contextOf, encodeEvents } from './codec-support.ts'

const usage: Usage = {
  inputTokens: 7,
  outputTokens: 9,
  reasoningTokens: 4,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  cacheWrite1hTokens: 1,
}
const start: AnswerEvent = { type: 'start', id: 'chatcmpl-1', model: 'up' }
const finish = (reason: FinishReason, stopSequence?: string): AnswerEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  stopSequence,
})
const end: AnswerEvent = { type: 'end', usage }
const text = (id: string, ...pieces: string[]): AnswerEvent[] => [
  { type: 'text-start', choice: 0, id },
  ...pieces.map((piece): AnswerEvent => ({ type: 'text-delta', id, text: piece })),
  { type: 'text-end', id },
]
const reasoning = (
  id: string,
  piece: string,
  signature?: string,
  isRedacted?: true,
): AnswerEvent[] => [
  { type: 'reasoning-start', choice: 0, id },
  { type: 'reasoning-delta', id, text: piece },
  { type: 'reasoning-end', id, signature, isRedacted },
]
const callStart = (id: string, kind: 'function' | 'custom' = 'function'): AnswerEvent => ({
  type: 'tool-call-start',
  choice: 0,
  id,
  callId: `call_${id}`,
  name: 'look',
  kind,
})
const callDelta = (id: string, piece: string): AnswerEvent => ({
  type: 'tool-call-delta',
  id,
  text: piece,
})
const callEnd = (id: string): AnswerEvent => ({ type: 'tool-call-end', id })

const answer = (...events: AnswerEvent[]) =>
  encodeEvents([start, ...events, ...(events.some(isFinish) ? [] : [finish('stop')]), end])
const isFinish = ({ type }: AnswerEvent) => type === 'finish'

/** What the vendor's own SDK makes of a stream. */
async function messageOf(stream: string) {
  checkStream(stream)
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const request = {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user' as const, content: 'Hi' }],
  }
  return await client.messages.stream(request).finalMessage()
}

describe('a stream for a client', () => {
  test('T19: has the client’s model, an id of its own, and the usage', async () => {
    const message = await messageOf(answer(...text('a', 'Hel', 'lo "\n\u2028😀')))
    expect(message).toMatchObject({
      id: 'msg_req1',
      type: 'message',
      role: 'assistant',
      model: 'asked',
      content: [{ type: 'text', text: 'Hello "\n\u2028😀' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 7,
        output_tokens: 9,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 3,
        output_tokens_details: { thinking_tokens: 4 },
      },
    })
  })

  test('T19: keeps an id of this protocol', async () => {
    const stream = encodeEvents([{ type: 'start', id: 'msg_up' }, finish('stop'), end])
    expect((await messageOf(stream)).id).toBe('msg_up')
  })

  test('T18: tells the input at once, estimated where it is not known', () => {
    const usageAtStart = (event: AnswerEvent) => {
      const [first] = checkStream(encodeEvents([event, finish('stop'), end]))
      return objectIn(first, 'message')?.usage
    }
    expect(usageAtStart(start)).toMatchObject({
      input_tokens: 42,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 0,
    })
    expect(usageAtStart({ ...start, usage })).toMatchObject({ input_tokens: 7, output_tokens: 9 })
  })

  test('usage that never came is what was estimated', () => {
    const [, delta] = checkStream(encodeEvents([start, { type: 'end' }]))
    expect(delta).toMatchObject({ usage: { input_tokens: 42, output_tokens: 0 } })
  })

  test('T2: begins once, and by itself if nobody says so', () => {
    const twice = encodeEvents([start, start, ...text('a', 'x'), finish('stop'), end])
    const never = encodeEvents([...text('a', 'x'), finish('stop'), end])
    for (const stream of [twice, never]) {
      expect(checkStream(stream).filter(({ type }) => type === 'message_start')).toHaveLength(1)
    }
  })

  test('T1, T8: reasoning is thinking with its signature, then comes text', async () => {
    const message = await messageOf(
      answer(
        ...reasoning('a', 'hm', 'S+/='),
        ...reasoning('b', '', 'D==', true),
        ...reasoning('c', '', 'only'),
        ...reasoning('d', 'unsigned'),
        ...reasoning('e', ''),
        ...text('f', 'Hi'),
      ),
    )
    expect(message.content as unknown[]).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 'S+/=' },
      { type: 'redacted_thinking', data: 'D==' },
      { type: 'thinking', thinking: '', signature: 'only' },
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'text', text: 'Hi' },
    ])
  })

  test('T12: parallel calls after text come one after the other, the first as it comes', async () => {
    const events = [
      start,
      ...text('t', 'Let me look.'),
      callStart('a'),
      callStart('b'),
      callDelta('b', '{"b"'),
      callDelta('a', '{"a"'),
      callStart('c'),
      callDelta('c', '{}'),
      callEnd('c'),
      callDelta('a', ':1}'),
      callEnd('a'),
      callDelta('b', ':2}'),
      callEnd('b'),
      finish('tool-calls'),
      end,
    ]
    const message = await messageOf(encodeEvents(events))
    expect(message).toMatchObject({
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_a', name: 'look', input: { a: 1 } },
        { type: 'tool_use', id: 'call_b', name: 'look', input: { b: 2 } },
        { type: 'tool_use', id: 'call_c', name: 'look', input: {} },
      ],
      stop_reason: 'tool_use',
    })
    const encoder = messagesCodec.createEncoder(contextOf())
    const written = events.map((event) => encoder.push(event))
    const sentFor = (event: AnswerEvent | undefined) => written[events.indexOf(event ?? start)]
    const [b, a] = events.filter(({ type }) => type === 'tool-call-delta')
    expect(sentFor(b)).toBe('')
    expect(sentFor(a)).toContain('{\\"a\\"')
    // What had waited of the second call came when the first was done, before its own end.
    const endOfA = events.find((event) => event.type === 'tool-call-end' && event.id === 'a')
    expect(sentFor(endOfA)).toContain('{\\"b\\"')
  })

  test('T12: of those that waited, the first that is not whole goes on as it comes', () => {
    const encoder = messagesCodec.createEncoder(contextOf())
    const push = (...events: AnswerEvent[]) => events.map((event) => encoder.push(event)).join('')
    push(start, callStart('a'), callStart('b'), callStart('c'))
    push(callDelta('b', '{"b":2}'), callEnd('b'), callDelta('c', '{"c"'))
    const released = push(callEnd('a'))
    expect(released).toContain('{\\"b\\":2}')
    expect(released).toContain('{\\"c\\"')
    expect(push(callDelta('c', ':3}'))).toContain(':3}')
  })

  test('T14: a custom tool’s text is one member of an object, whatever is in it', async () => {
    const pieces = ['*** "Begin"\n', '\\', '\ud83d', '\ude00\u0000']
    const events = [callStart('a', 'custom'), ...pieces.map((p) => callDelta('a', p)), callEnd('a')]
    const message = await messageOf(answer(...events))
    expect(message.content).toMatchObject([{ input: { input: pieces.join('') } }])
  })

  test('what cites something is named with its text', async () => {
    const raw = { type: 'page_location', cited_text: 'q', document_index: 0 }
    const citations = [
      { type: 'url', url: 'https://a/b', title: 'P', citedText: 'r' },
      { type: 'document', raw },
      { type: 'document', raw: { type: 'file_citation', file_id: 'another vendor’s' } },
    ] as const
    const [begun, said] = text('a', 'x')
    const stream = answer(begin(begun), begin(said), { type: 'text-end', id: 'a', citations })
    expect((await messageOf(stream)).content).toMatchObject([
      {
        type: 'text',
        text: 'x',
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a/b',
            title: 'P',
            cited_text: 'r',
            encrypted_index: 'tgs1.search',
          },
          raw,
        ],
      },
    ])
  })

  test('a refusal is text, and why it ended', async () => {
    const stream = answer(
      { type: 'refusal-start', choice: 0, id: 'a' },
      { type: 'refusal-delta', id: 'a', text: 'No.' },
      { type: 'refusal-end', id: 'a' },
    )
    expect(await messageOf(stream)).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
    })
  })

  test.each<[FinishReason, string | undefined, string]>([
    ['stop', undefined, 'end_turn'],
    ['stop', 'END', 'stop_sequence'],
    ['length', undefined, 'max_tokens'],
    ['tool-calls', undefined, 'tool_use'],
    ['refusal', undefined, 'refusal'],
    ['filter', undefined, 'refusal'],
    ['pause', undefined, 'pause_turn'],
    ['failed', undefined, 'max_tokens'],
    ['other', undefined, 'end_turn'],
  ])('T19: ended by %s (%p)', async (reason, sequence, stop_reason) => {
    expect(await messageOf(answer(finish(reason, sequence)))).toMatchObject({
      stop_reason,
      stop_sequence: sequence ?? null,
    } as object)
    const finished = { reason, stopSequence: sequence }
    const response = { choices: [{ index: 0, parts: [], finish: finished }] }
    const body = messagesCodec.encodeResponse(response, contextOf())
    expect(body).toMatchObject({ stop_reason, stop_sequence: sequence ?? null } as object)
  })

  test('how another answer ended is not how this one did', async () => {
    const other: AnswerEvent = { type: 'finish', choice: 1, reason: 'length' }
    expect((await messageOf(answer(finish('stop'), other))).stop_reason).toBe('end_turn')
  })

  test('calls are why it ended, though nobody says so', async () => {
    const stream = answer(callStart('a'), callEnd('a'), finish('stop'))
    expect((await messageOf(stream)).stop_reason).toBe('tool_use')
  })

  test('the empty, images and other answers are not in it; what was left open is closed', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a/b' } } as const
    const events = checkStream(
      encodeEvents([
        start,
        ...text('a'),
        ...text('b', ''),
        { type: 'image', choice: 0, image },
        { type: 'text-start', choice: 1, id: 'side' },
        { type: 'text-delta', id: 'side', text: 'no' },
        { type: 'text-end', id: 'side' },
        { type: 'text-start', choice: 0, id: 'c' },
        { type: 'text-delta', id: 'c', text: 'open' },
        callStart('d'),
        { type: 'finish', choice: 1, reason: 'length' },
        finish('stop'),
        end,
      ]),
    )
    const started = events.filter(({ type }) => type === 'content_block_start')
    expect(started.map(({ content_block }) => (content_block as JsonObject).type)).toEqual([
      'text',
      'tool_use',
    ])
  })
})

const begin = (event: AnswerEvent | undefined): AnswerEvent => event ?? start

describe('a stream that fails', () => {
  const error: ProtocolError = {
    status: 529,
    code: 'upstream_overloaded',
    message: 'Try later.',
    param: undefined,
    requestId: 'req1',
  }

  test('S3: ends with the error that SDKs raise, once, and with nothing else', async () => {
    const encoder = messagesCodec.createEncoder(contextOf())
    const sent = encoder.push(start) + encoder.push({ type: 'text-start', choice: 0, id: 'a' })
    const failed = encoder.fail(error)
    expect(failed).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Try later."},"request_id":"req1"}\n\n',
    )
    expect([encoder.fail(error), encoder.push(end), encoder.push(start)]).toEqual(['', '', ''])
    const client = new Anthropic({
      apiKey: 'k',
      maxRetries: 0,
      fetch: async () =>
        new Response(sent + failed, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const raised = client.messages.stream({ model: 'm', max_tokens: 9, messages }).finalMessage()
    await expect(raised).rejects.toThrow('Try later.')
  })

  test('an error event itself writes nothing, and its words do not reach the client', () => {
    const encoder = messagesCodec.createEncoder(contextOf())
    expect(encoder.push({ type: 'error', error: { message: 'secret' } })).toBe('')
    expect(encoder.fail(error)).toStartWith('event: error')
  })

  test('after its end it can’t fail', () => {
    const encoder = messagesCodec.createEncoder(contextOf())
    encoder.push(start)
    encoder.push(end)
    expect(encoder.fail(error)).toBe('')
  })
})
