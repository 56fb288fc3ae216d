import { describe, expect, test } from 'bun:test'
import type { AnswerPart, CanonicalResponse } from '../../../src/protocols/canonical/answer.ts'
import type { CanonicalError } from '../../../src/protocols/canonical/error.ts'
import { foldUsage } from '../../../src/protocols/canonical/extras.ts'
import type { Usage } from '../../../src/protocols/canonical/usage.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import { encodeMessagesUsage, messagesReports } from '../../../src/protocols/messages/usage.ts'
import { contextOf, essence, overTheWire } from './codec-support.ts'

const usage: Usage = {
  inputTokens: 7,
  outputTokens: 9,
  reasoningTokens: 4,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  cacheWrite1hTokens: 1,
}
const responseOf = (parts: readonly AnswerPart[], more: Partial<CanonicalResponse> = {}) => ({
  id: 'resp_1',
  choices: [{ index: 0, parts, finish: { reason: 'stop' } as const }],
  usage,
  ...more,
})
const encode = (response: CanonicalResponse) =>
  overTheWire(messagesCodec.encodeResponse(response, contextOf()))

describe('a whole message', () => {
  test('is read as its stream would be', () => {
    const body = {
      id: 'msg_1',
      type: 'message',
      model: 'up',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'S+/=' },
        { type: 'redacted_thinking', data: 'D==' },
        { type: 'text', text: '' },
        { type: 'text', text: 'Hi' },
        { type: 'server_tool_use', id: 's', name: 'web_fetch', input: {} },
        { type: 'tool_use', id: 'c1', name: 'look', input: { at: 1 } },
        7,
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2, service_tier: 'standard' },
    }
    expect(essence(messagesCodec.decodeResponse(body, contextOf()))).toEqual({
      id: 'msg_1',
      model: 'up',
      choices: [
        {
          index: 0,
          parts: [
            { type: 'reasoning', text: 'hm', signature: 'S+/=' },
            { type: 'reasoning', text: '', signature: 'D==', isRedacted: true },
            { type: 'text', text: 'Hi' },
            { type: 'tool-call', callId: 'c1', name: 'look', kind: 'function', input: '{"at":1}' },
          ],
          finish: { reason: 'tool-calls' },
        },
      ],
      usage: {
        inputTokens: 1,
        outputTokens: 2,
        reasoningTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
      },
      serviceTier: 'default',
    })
  })

  test('is written in the vendor’s full shape', () => {
    const parts: AnswerPart[] = [
      { type: 'reasoning', text: 'hm', signature: 'S+/=' },
      { type: 'reasoning', text: '', signature: 'D==', isRedacted: true },
      { type: 'reasoning', text: 'unsigned' },
      { type: 'reasoning', text: '' },
      { type: 'text', text: '' },
      { type: 'text', text: 'Hi', citations: [{ type: 'url', url: 'https://a/b' }] },
      { type: 'refusal', text: 'No.' },
      { type: 'image', source: { type: 'url', url: 'https://a/b' } },
      { type: 'tool-call', callId: 'call_1', name: 'look', kind: 'function', input: '{"at":1}' },
      { type: 'tool-call', callId: 'call_2', name: 'patch', kind: 'custom', input: '*** x' },
    ]
    expect(encode(responseOf(parts, { serviceTier: 'priority' }))).toEqual({
      id: 'msg_req1',
      type: 'message',
      role: 'assistant',
      model: 'asked',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'S+/=' },
        { type: 'redacted_thinking', data: 'D==' },
        { type: 'thinking', thinking: 'unsigned', signature: '' },
        {
          type: 'text',
          text: 'Hi',
          citations: [
            {
              type: 'web_search_result_location',
              cited_text: '',
              encrypted_index: 'tgs1.search',
              title: null,
              url: 'https://a/b',
            },
          ],
        },
        { type: 'text', text: 'No.' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } },
        { type: 'tool_use', id: 'call_2', name: 'patch', input: { input: '*** x' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 },
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
        server_tool_use: null,
        service_tier: 'priority',
      },
    })
  })

  test('a refusal without calls is why it ended', () => {
    expect(encode(responseOf([{ type: 'refusal', text: 'No.' }]))).toMatchObject({
      stop_reason: 'refusal',
    })
  })

  test('T18: usage that is not known is estimated', () => {
    expect(encode(responseOf([], { usage: undefined }))).toMatchObject({
      usage: { input_tokens: 42, output_tokens: 0, cache_read_input_tokens: 0 },
    })
  })

  test('the first of several answers is the one', () => {
    const choices = ['b', 'a'].map((text, at) => ({
      index: 1 - at,
      parts: [{ type: 'text', text } as const],
      finish: { reason: 'stop' } as const,
    }))
    expect(encode({ choices })).toMatchObject({ content: [{ text: 'a' }] })
  })

  test('an error is one, in both directions', () => {
    const body = { type: 'error', error: { type: 'api_error', message: 'No.' } }
    const answer = messagesCodec.decodeResponse(body, contextOf())
    expect(answer).toMatchObject({ choices: [], error: { message: 'No.', code: 'api_error' } })
    expect(encode(answer)).toEqual({ ...body, request_id: 'req1' })
  })

  test('nothing makes it throw', () => {
    for (const body of [{}, { content: 7 }, { content: [null, [], {}] }, { usage: [] }]) {
      expect(() => messagesCodec.decodeResponse(body, contextOf())).not.toThrow()
    }
  })
})

test('usage decodes to what was encoded', () => {
  const zero = { ...usage, inputTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }
  for (const counts of [usage, zero]) {
    expect(foldUsage(messagesReports, encodeMessagesUsage(counts))).toEqual(counts)
  }
})

test('a count is told as the vendor does', () => {
  expect(messagesCodec.encodeCount(12)).toEqual({ input_tokens: 12 })
})

describe('an error of the upstream', () => {
  test.each<[object, Partial<CanonicalError>]>([
    [
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'messages.1.content.0.type: Expected `thinking`',
        },
      },
      {
        message: 'messages.1.content.0.type: Expected `thinking`',
        code: 'invalid_request_error',
        param: 'messages.1.content.0.type',
        status: 400,
      },
    ],
    [
      { error: { type: 'invalid_request_error', message: 'max_tokens: 5 > 4' } },
      { param: 'max_tokens' },
    ],
    [
      { error: { type: 'overloaded_error', message: 'Overloaded' } },
      { code: 'overloaded_error', status: 529, param: undefined },
    ],
    [
      { error: { type: 'rate_limit_error', message: 'Note: slow down' } },
      { status: 429, param: undefined },
    ],
    [{ error: { type: 'newer_error', message: 'x' } }, { code: 'newer_error', status: undefined }],
    [{ error: 'gone' }, { message: 'gone', code: undefined }],
    [{ message: 'gone' }, { message: 'gone', code: undefined }],
    [{ type: 'error' }, { message: 'The upstream reported an error.', code: undefined }],
    [{}, { message: 'The upstream reported an error.' }],
  ])('%j', (body, expected) => {
    expect(messagesCodec.decodeError(overTheWire(body))).toMatchObject(expected)
  })
})
