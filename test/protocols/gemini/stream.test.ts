import { describe, expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { fixture, watch } from '../feeding.ts'

const create = gemini.operations.generate.createObserver
const seenOf = (name: string) => {
  const observer = create()
  watch(observer, fixture(name))
  return observer.seen
}

describe('a Gemini stream', () => {
  test('is closing, not closed, after its finish reason: usage may follow', () => {
    const seen = seenOf('gemini/tail-after-finish.sse')
    expect(seen).toMatchObject({ phase: 'closing', outcome: 'complete', answerId: undefined })
    expect(seen.usage).toEqual({
      inputTokens: 70,
      outputTokens: 13,
      reasoningTokens: 7,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    })
    expect(seen.text.sample).toBe('Hélook{"at":1}')
  })

  test('an error inside it fails it', () => {
    expect(seenOf('gemini/error-in-stream.sse')).toMatchObject({
      phase: 'closed',
      outcome: 'failed',
      errorMessage: 'The model is overloaded.',
    })
  })

  test('a blocked prompt ends it', () => {
    expect(seenOf('gemini/blocked.sse')).toMatchObject({
      phase: 'closing',
      outcome: 'incomplete',
      usage: { inputTokens: 8, outputTokens: 0 },
    })
  })

  test('B8: usage of explicit zeros is usage', () => {
    expect(seenOf('gemini/zero-usage.sse').usage).toMatchObject({ inputTokens: 0, outputTokens: 0 })
  })

  test('metadata without counts is no usage', () => {
    const observer = create()
    observer.push('{"usageMetadata":{"trafficType":"ON_DEMAND"}}', '')
    expect(observer.seen.usage).toBeUndefined()
    expect(observer.seen.usageRaw).toBeUndefined()
  })

  test('a later report may leave out what an earlier one had', () => {
    const observer = create()
    observer.push(
      '{"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":21,"thoughtsTokenCount":35}}',
      '',
    )
    observer.push('{"usageMetadata":{"promptTokenCount":87,"thoughtsTokenCount":78}}', '')
    expect(observer.seen.usage).toMatchObject({
      inputTokens: 87,
      outputTokens: 99,
      reasoningTokens: 78,
    })
  })

  test('nothing makes it throw', () => {
    const observer = create()
    for (const data of [
      '',
      '[]',
      '{"candidates":{}}',
      '{"candidates":[null,{"content":{"parts":[1]}}]}',
      '{"usageMetadata":7}',
    ]) {
      expect(observer.push(data, '')).toBe('pass')
    }
    for (const body of [null, 1, [], 'x']) create().pushBody(body)
  })
})

describe('a Gemini body', () => {
  test('is closed, and its reason tells the outcome', () => {
    for (const [finishReason, outcome] of [
      ['STOP', 'complete'],
      ['MAX_TOKENS', 'incomplete'],
      ['SAFETY', 'incomplete'],
    ]) {
      const observer = create()
      observer.pushBody({ candidates: [{ finishReason }] })
      expect(observer.seen.phase).toBe('closed')
      expect(observer.seen.outcome as string).toBe(outcome as string)
    }
  })

  test('embeddings are billed by their prompt', () => {
    const observer = gemini.operations.batchEmbed.createObserver()
    observer.pushBody({ embeddings: [], usageMetadata: { promptTokenCount: 11 } })
    expect(observer.seen).toMatchObject({
      phase: 'closed',
      outcome: 'complete',
      usage: { inputTokens: 11 },
    })
  })

  test('a count of tokens uses nothing', () => {
    const observer = gemini.operations.countTokens.createObserver()
    observer.pushBody({ totalTokens: 11 })
    expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'complete' })
    expect(observer.seen.usage).toBeUndefined()
    expect(gemini.operations.countTokens.charged).toBe(false)
  })
})
