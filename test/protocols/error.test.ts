import { describe, expect, test } from 'bun:test'
import { createObservation } from '../../src/protocols/canonical/observation.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import type { ProtocolError } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'

const error = (status: number, more: Partial<ProtocolError> = {}): ProtocolError => ({
  status,
  code: 'some_code',
  message: 'What is wrong.',
  param: undefined,
  requestId: 'req_1',
  ...more,
})

describe('error bodies', () => {
  test.each([
    [400, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
    [403, 'permission_error', 'permission_error', 'PERMISSION_DENIED'],
    [404, 'invalid_request_error', 'not_found_error', 'NOT_FOUND'],
    [413, 'invalid_request_error', 'request_too_large', 'INVALID_ARGUMENT'],
    [422, 'invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
    [429, 'rate_limit_error', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
    [500, 'api_error', 'api_error', 'INTERNAL'],
    [502, 'api_error', 'api_error', 'UNAVAILABLE'],
    [504, 'api_error', 'timeout_error', 'DEADLINE_EXCEEDED'],
  ])('%d has the words of CONTRACT 2.4', (status, openAi, anthropic, google) => {
    const message = 'What is wrong.'
    const body = { error: { message, type: openAi, param: null, code: 'some_code' } }
    expect(JSON.parse(chat.encodeError(error(status)))).toEqual(body)
    expect(JSON.parse(responses.encodeError(error(status)))).toEqual(body)
    expect(JSON.parse(messages.encodeError(error(status)))).toEqual({
      type: 'error',
      error: { type: anthropic, message },
      request_id: 'req_1',
    })
    expect(JSON.parse(gemini.encodeError(error(status)))).toEqual({
      error: { code: status, message, status: google },
    })
  })

  test('the field at fault is named where the shape has room for it', () => {
    const body = JSON.parse(chat.encodeError(error(400, { param: 'messages[0].role' })))
    expect(body.error.param).toBe('messages[0].role')
  })
})

const sse = { framing: 'sse', library: '' } as const
const request = { model: 'a-model', createdAt: 1_700_000_000 }
const array = { framing: 'json-array', library: '' } as const

describe('errors inside a stream', () => {
  test('chat: an error chunk without [DONE]', () => {
    const text = chat.encodeStreamError(error(502))
    expect(text).toBe(`data: ${chat.encodeError(error(502))}\n\n`)
  })

  test('messages: an error event', () => {
    const text = messages.encodeStreamError(error(502))
    expect(text).toBe(`event: error\ndata: ${messages.encodeError(error(502))}\n\n`)
  })

  test('responses: response.failed goes on where the stream broke off', () => {
    const answer = { ...createObservation(), answerId: 'resp_own', sequence: 3 }
    const text = responses.encodeStreamError(error(502, { answer, ...request }), sse, false)
    const events = text.trimEnd().split('\n\n')
    expect(events.map((one) => one.split('\n')[0])).toEqual([
      'event: error',
      'event: response.failed',
    ])
    const [raised, failed] = events.map((one) => JSON.parse(one.split('\ndata: ')[1] ?? ''))
    const told = { code: 'some_code', message: 'What is wrong.', param: null }
    expect(raised).toEqual({
      ...{ type: 'error', sequence_number: 4, ...told },
      error: { ...told, type: 'api_error' },
    })
    expect(failed).toMatchObject({
      ...{ type: 'response.failed', sequence_number: 5 },
      response: {
        ...{ id: 'resp_own', object: 'response', model: 'a-model', created_at: 1_700_000_000 },
        status: 'failed',
        error: { code: 'server_error', message: 'What is wrong.' },
      },
    })
  })

  test.each([
    [400, 'invalid_prompt'],
    [402, 'insufficient_quota'],
    [429, 'rate_limit_exceeded'],
    [502, 'server_error'],
  ])('responses: a status of %d is %s, by which Codex knows what to repeat', (status, code) => {
    const text = responses.encodeStreamError(error(status, request), sse, true)
    const [created, raised, failed] = text
      .trimEnd()
      .split('\n\n')
      .map((one) => JSON.parse(one.split('\ndata: ')[1] ?? ''))
    expect([created.type, raised.type]).toEqual(['response.created', 'error'])
    const begun = { status: 'in_progress', created_at: 1_700_000_000, model: 'a-model' }
    expect(created.response).toMatchObject(begun)
    expect(failed.response.error.code).toBe(code)
  })

  test('gemini: one more event, or the last element of a well-formed array', () => {
    const body = gemini.encodeError(error(504))
    expect(gemini.encodeStreamError(error(504), sse, false)).toBe(`data: ${body}\r\n\r\n`)
    const closed = `[{"a":1}${gemini.encodeStreamError(error(504), array, false)}`
    expect(JSON.parse(closed)).toEqual([{ a: 1 }, JSON.parse(body)])
    const opened = gemini.encodeStreamError(error(504), array, true)
    expect(JSON.parse(opened)).toEqual([JSON.parse(body)])
  })

  test('gemini: what reads over an error is told in another way, too', () => {
    const told = (library: string) =>
      gemini.encodeStreamError(error(400), { framing: 'sse', library }, false)
    const plain = `data: ${gemini.encodeError(error(400))}\r\n\r\n`
    expect(told('google-genai-sdk/2.1.0 gl-java/21')).toBe(plain)
    const python = told('google-genai-sdk/1.45.0 gl-python/3.11')
    expect(python).toStartWith(plain)
    expect(python.slice(plain.length)).toBe(
      'data: The answer ends with an error (INVALID_ARGUMENT): What is wrong.\r\n\r\n',
    )
    for (const library of ['1.50.0 gl-go/go1.26', '1.30.0 gl-node/v20'])
      expect(told(`google-genai-sdk/${library}`)).toBe(
        `${plain}${gemini.encodeError(error(400))}\r\n\r\n`,
      )
    const legacy = JSON.parse(told('genai-js/0.24.1').slice('data: '.length))
    expect(legacy).toEqual({
      ...JSON.parse(gemini.encodeError(error(400))),
      promptFeedback: { blockReason: 'OTHER', blockReasonMessage: 'What is wrong.' },
    })
  })

  test('an own error is what an observer takes for a failure', () => {
    for (const [protocol, operation] of [
      [chat, chat.operations.completions],
      [messages, messages.operations.messages],
      [responses, responses.operations.responses],
      [gemini, gemini.operations.generate],
    ] as const) {
      const observer = operation.createObserver()
      const text = protocol.encodeStreamError(error(502), sse, false)
      const data = text.split('\n').find((line) => line.startsWith('data: ')) ?? ''
      observer.push(data.slice(6).trim(), '')
      expect(observer.seen).toMatchObject({ outcome: 'failed', errorMessage: 'What is wrong.' })
    }
  })
})
