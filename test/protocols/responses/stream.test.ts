import { describe, expect, test } from 'bun:test'
import { responses } from '../../../src/protocols/responses/index.ts'
import { fixture, watch } from '../feeding.ts'

const seenOf = (name: string) => {
  const observer = responses.operations.responses.createObserver()
  watch(observer, fixture(name))
  return observer.seen
}

describe('a responses stream', () => {
  test('that ends early by a limit is incomplete, and its usage disjoint', () => {
    const seen = seenOf('responses/incomplete.sse')
    expect(seen).toMatchObject({
      phase: 'closed',
      outcome: 'incomplete',
      answerId: 'resp_own',
      sequence: 4,
    })
    expect(seen.usage).toEqual({
      inputTokens: 3,
      outputTokens: 16,
      reasoningTokens: 12,
      cacheReadTokens: 4,
      cacheWriteTokens: 3,
      cacheWrite1hTokens: 0,
    })
    expect(seen.text).toEqual({ sample: 'Hi', length: 2, bytes: 2 })
  })

  test('that fails is failed, in the upstream’s words', () => {
    expect(seenOf('responses/error-in-stream.sse')).toMatchObject({
      phase: 'closed',
      outcome: 'failed',
      errorMessage: 'It broke.',
    })
  })

  test('that is cut off stays open', () => {
    const seen = seenOf('responses/cut.sse')
    expect(seen).toMatchObject({ phase: 'open', text: { sample: 'Hi' } })
    expect(seen.usage).toBeUndefined()
  })

  test('B8: usage of explicit zeros is usage', () => {
    expect(seenOf('responses/zero-usage.sse').usage).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
    })
  })

  test('its kinds go by type, also without an event line', () => {
    const observer = responses.operations.responses.createObserver()
    observer.push(
      '{"type":"response.completed","response":{"id":"r","usage":{"input_tokens":1,"output_tokens":2}}}',
      '',
    )
    observer.push('[DONE]', '')
    expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'complete', answerId: 'r' })
  })

  test('audio is no text', () => {
    const observer = responses.operations.responses.createObserver()
    observer.push('{"type":"response.audio.delta","delta":"AAAA"}', '')
    observer.push('{"type":"response.audio.transcript.delta","delta":"la"}', '')
    expect(observer.seen.text.sample).toBe('la')
  })
})

describe('a responses body', () => {
  const outcomeOf = (body: unknown) => {
    const observer = responses.operations.responses.createObserver()
    observer.pushBody(body)
    expect(observer.seen.phase).toBe('closed')
    return [observer.seen.outcome, observer.seen.errorMessage]
  }

  test('tells how it ended', () => {
    expect(outcomeOf({ status: 'completed', error: null })).toEqual(['complete', undefined])
    expect(outcomeOf({ status: 'incomplete' })).toEqual(['incomplete', undefined])
    expect(outcomeOf({ status: 'queued' })).toEqual(['complete', undefined])
    expect(outcomeOf({ object: 'response.compaction' })).toEqual(['complete', undefined])
    expect(outcomeOf({ status: 'failed', error: { code: 'x', message: 'No.' } })).toEqual([
      'failed',
      'No.',
    ])
    expect(outcomeOf([])[0]).toBe('failed')
  })

  test('its text is kept for an estimate', () => {
    const observer = responses.operations.responses.createObserver()
    const output = [
      { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'function_call', arguments: '{}' },
      null,
    ]
    observer.pushBody({ status: 'completed', output })
    expect(observer.seen.text.sample).toBe('Hi{}')
  })
})
