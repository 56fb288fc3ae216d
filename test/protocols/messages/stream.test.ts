import { describe, expect, test } from 'bun:test'
import { messages } from '../../../src/protocols/messages/index.ts'
import { fixture, watch } from '../feeding.ts'

const create = messages.operations.messages.createObserver
const seenOf = (name: string) => {
  const observer = create()
  watch(observer, fixture(name))
  return observer.seen
}

describe('a message stream', () => {
  test('B3: a cache write told with two lives is charged once', () => {
    const { usage, usageRaw } = seenOf('messages/cache-write-moves.sse')
    expect(usage).toEqual({
      inputTokens: 5,
      outputTokens: 7,
      reasoningTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 900,
      cacheWrite1hTokens: 0,
    })
    expect(usageRaw).toMatchObject({
      input_tokens: 5,
      output_tokens: 7,
      cache_read_input_tokens: 0,
    })
  })

  test('B8: usage of explicit zeros is usage', () => {
    expect(seenOf('messages/zero-usage.sse')).toMatchObject({
      phase: 'closed',
      outcome: 'complete',
      answerId: 'msg_own',
      usage: { inputTokens: 0, outputTokens: 0 },
    })
  })

  test('an error inside it fails it; what was used until then stands', () => {
    expect(seenOf('messages/error-in-stream.sse')).toMatchObject({
      phase: 'closed',
      outcome: 'failed',
      errorMessage: 'Overloaded',
      usage: { inputTokens: 11, outputTokens: 1 },
    })
  })

  test('an error event that is no JSON fails it, too', () => {
    const observer = create()
    observer.push('upstream gone', 'error')
    expect(observer.seen).toMatchObject({ outcome: 'failed', errorMessage: 'upstream gone' })
  })

  test('cut off, it stays open, with usage and text until then', () => {
    const seen = seenOf('messages/cut.sse')
    expect(seen).toMatchObject({
      phase: 'open',
      usage: { inputTokens: 11 },
      text: { sample: 'Hi' },
    })
    expect(seen.outcome).toBeUndefined()
  })

  test('max_tokens is an incomplete answer', () => {
    expect(seenOf('messages/max-tokens.sse')).toMatchObject({
      phase: 'closed',
      outcome: 'incomplete',
    })
  })

  test('a stop reason makes it closing, message_stop closed', () => {
    const observer = create()
    observer.push('{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":null}', '')
    expect(observer.seen).toMatchObject({ phase: 'closing', outcome: 'complete' })
    observer.push('{"type":"message_stop"}', 'message_stop')
    expect(observer.seen.phase).toBe('closed')
  })

  test('thinking and tool input are text, signatures are not', () => {
    const observer = create()
    const push = (delta: object) =>
      observer.push(JSON.stringify({ type: 'content_block_delta', index: 0, delta }), '')
    push({ type: 'thinking_delta', thinking: 'hm ' })
    push({ type: 'signature_delta', signature: 'AAAA' })
    push({ type: 'input_json_delta', partial_json: '{"a"' })
    expect(observer.seen.text.sample).toBe('hm {"a"')
  })

  test('nothing makes it throw', () => {
    const observer = create()
    for (const data of [
      '',
      'null',
      '[]',
      '{"type":7}',
      '{"type":"message_start"}',
      '{"type":"message_delta","usage":[]}',
    ]) {
      expect(observer.push(data, 'message_start')).toBe('pass')
    }
    for (const body of [null, 1, [], { content: [null, 7], usage: 'x' }]) create().pushBody(body)
  })
})

describe('a message body', () => {
  test('tells its end, usage and text', () => {
    const observer = create()
    observer.pushBody({
      id: 'msg_1',
      content: [
        { type: 'text', text: 'Hi ' },
        { type: 'tool_use', name: 'look', input: { at: 1 } },
      ],
      stop_reason: 'model_context_window_exceeded',
      usage: { input_tokens: 3, output_tokens: 4 },
    })
    expect(observer.seen).toMatchObject({
      phase: 'closed',
      outcome: 'incomplete',
      answerId: 'msg_1',
      text: { sample: 'Hi look{"at":1}' },
    })
  })

  test('an error body is a failed answer', () => {
    const observer = create()
    observer.pushBody({ type: 'error', error: { type: 'api_error', message: 'No.' } })
    expect(observer.seen).toMatchObject({ outcome: 'failed', errorMessage: 'No.' })
  })
})
