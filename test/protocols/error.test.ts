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
    const text = responses.encodeStreamError(error(502, { answer }), 'sse', false)
    const [event, data] = text.trimEnd().split('\n')
    expect(event).toBe('event: response.failed')
    expect(JSON.parse(data?.slice(6) ?? '')).toMatchObject({
      type: 'response.failed',
      sequence_number: 4,
      response: {
        id: 'resp_own',
        object: 'response',
        status: 'failed',
        error: { code: 'some_code', message: 'What is wrong.' },
      },
    })
  })

  test('gemini: one more event, or the last element of a well-formed array', () => {
    const body = gemini.encodeError(error(504))
    expect(gemini.encodeStreamError(error(504), 'sse', false)).toBe(`data: ${body}\r\n\r\n`)
    const closed = `[{"a":1}${gemini.encodeStreamError(error(504), 'json-array', false)}`
    expect(JSON.parse(closed)).toEqual([{ a: 1 }, JSON.parse(body)])
    const opened = gemini.encodeStreamError(error(504), 'json-array', true)
    expect(JSON.parse(opened)).toEqual([JSON.parse(body)])
  })

  test('an own error is what an observer takes for a failure', () => {
    for (const [protocol, operation] of [
      [chat, chat.operations.completions],
      [messages, messages.operations.messages],
      [responses, responses.operations.responses],
      [gemini, gemini.operations.generate],
    ] as const) {
      const observer = operation.createObserver()
      const text = protocol.encodeStreamError(error(502), 'sse', false)
      const data = text.split('\n').find((line) => line.startsWith('data: ')) ?? ''
      observer.push(data.slice(6).trim(), '')
      expect(observer.seen).toMatchObject({ outcome: 'failed', errorMessage: 'What is wrong.' })
    }
  })
})
