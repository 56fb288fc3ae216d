import { describe, expect, test } from 'bun:test'
import { chat } from '../../../src/protocols/chat/index.ts'
import { fixture, watch } from '../feeding.ts'

const { completions, embeddings, imageGenerations } = chat.operations
const zero = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}

describe('a chat stream', () => {
  test('S6: is read the same with line ends of every kind', () => {
    const observer = completions.createObserver()
    const said = watch(observer, fixture('chat/line-ends.sse'))
    expect(said).toEqual(['pass', 'pass', 'pass', 'pass', 'usage-only', 'pass'])
    expect(observer.seen).toEqual({
      phase: 'closed',
      outcome: 'complete',
      pending: false,
      foreign: false,
      begun: new Set([0]),
      ended: new Set([0]),
      usage: { ...zero, inputTokens: 9, outputTokens: 4 },
      usageRaw: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
      observed: undefined,
      images: 0,
      counted: undefined,
      lacksInput: false,
      reportedLength: 11,
      answerId: undefined,
      partIds: new Set(),
      sequence: undefined,
      errorMessage: undefined,
      text: { sample: 'Grüße 你好 🙂', length: 11, bytes: 19 },
    })
  })

  test('B8: usage of explicit zeros is usage', () => {
    const observer = completions.createObserver()
    watch(observer, fixture('chat/zero-usage.sse'))
    expect(observer.seen.usage).toEqual(zero)
  })

  test('an error inside it fails it, in the upstream’s words', () => {
    const observer = completions.createObserver()
    watch(observer, fixture('chat/error-in-stream.sse'))
    expect(observer.seen).toMatchObject({
      phase: 'closed',
      outcome: 'failed',
      errorMessage: 'The engine is overloaded.',
      usage: undefined,
      text: { sample: 'Once' },
    })
  })

  test('cut off, it stays open, with the text that was delivered', () => {
    const observer = completions.createObserver()
    watch(observer, fixture('chat/cut.sse'))
    expect(observer.seen).toMatchObject({ phase: 'open', text: { sample: 'Once upon a time' } })
    expect(observer.seen.outcome).toBeUndefined()
    expect(observer.seen.usage).toBeUndefined()
  })

  test('of several choices the worse end stands', () => {
    const observer = completions.createObserver()
    watch(observer, fixture('chat/length-two-choices.sse'))
    expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'incomplete' })
  })

  test('a finish reason makes it closing, not closed', () => {
    const observer = completions.createObserver()
    observer.push('{"choices":[{"delta":{},"finish_reason":"stop"}]}', '')
    expect(observer.seen).toMatchObject({ phase: 'closing', outcome: 'complete' })
  })

  test('usage that grows from chunk to chunk counts once', () => {
    const observer = completions.createObserver()
    for (const cached of [0, 90, 90]) {
      const usage = {
        prompt_tokens: 100,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: cached },
      }
      observer.push(JSON.stringify({ choices: [{ delta: { content: 'x' } }], usage }), '')
    }
    expect(observer.seen.usage).toEqual({
      ...zero,
      inputTokens: 10,
      cacheReadTokens: 90,
      outputTokens: 7,
    })
  })

  test('what follows the end counts for nothing', () => {
    const observer = completions.createObserver()
    observer.push('[DONE]', '')
    observer.push('{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":5}}', '')
    expect(observer.seen.usage).toBeUndefined()
  })

  test('T5: arguments as an object are text, too', () => {
    const observer = completions.createObserver()
    const call = { function: { name: 'look', arguments: { at: 1 } } }
    observer.pushBody({
      choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }],
    })
    expect(observer.seen.text.sample).toBe('look{"at":1}')
  })

  test('nothing makes it throw', () => {
    const strange = [
      '',
      '[]',
      'null',
      '{',
      '"x"',
      '{"choices":{}}',
      '{"choices":[null,1,{"delta":[]}]}',
    ]
    const more = [
      '{"usage":[]}',
      '{"usage":"7"}',
      '{"choices":[{"delta":{"tool_calls":[null,{}]}}]}',
    ]
    const observer = completions.createObserver()
    for (const data of [...strange, ...more]) expect(observer.push(data, '')).toBe('pass')
    expect(observer.seen).toMatchObject({ phase: 'open', text: { length: 0 } })
    for (const body of [undefined, null, 1, 'x', [], {}])
      completions.createObserver().pushBody(body)
  })

  test('a body that is no object is a failed answer', () => {
    const observer = completions.createObserver()
    observer.pushBody('<html>')
    expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'failed' })
  })
})

describe('embeddings and images', () => {
  test('embeddings are billed by prompt_tokens, or by the total where there is no other', () => {
    for (const usage of [{ prompt_tokens: 12, total_tokens: 12 }, { total_tokens: 12 }]) {
      const observer = embeddings.createObserver()
      observer.pushBody({ object: 'list', data: [], usage })
      expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'complete' })
      expect(observer.seen.usage).toEqual({ ...zero, inputTokens: 12 })
    }
  })

  test.each(['image_generation', 'image_edit'])(
    'a stream of images ends with %s.completed',
    (kind) => {
      const observer = imageGenerations.createObserver()
      observer.push(JSON.stringify({ type: `${kind}.partial_image`, b64_json: 'AAAA' }), '')
      expect(observer.seen.phase).toBe('open')
      const usage = { total_tokens: 150, input_tokens: 50, output_tokens: 100 }
      observer.push(JSON.stringify({ type: `${kind}.completed`, b64_json: 'AAAA', usage }), '')
      expect(observer.seen).toMatchObject({ phase: 'closed', outcome: 'complete' })
      expect(observer.seen.usage).toEqual({
        ...zero,
        inputTokens: 50,
        outputTokens: 100,
        extras: { modalities: { outputImage: 100 } },
      })
      expect(observer.seen.text.length).toBe(0)
    },
  )
})
