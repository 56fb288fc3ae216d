import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  answer,
  bare,
  chunk,
  decodeChunks,
  ending,
  folded,
  said,
  textChunk,
} from './codec-scene.ts'
import { checkEvents } from './event-checker.ts'

describe('other things in a chat stream', () => {
  test('a refusal is the reason of the end', () => {
    const parts = [{ type: 'refusal', text: 'No way' }]
    expect(answer(chunk({ refusal: 'No ' }), chunk({ refusal: 'way' }), ending('stop'))).toEqual([
      parts,
      'refusal',
    ])
  })

  test('citations belong to the text they come with, and are told at its end', () => {
    const note = (url: string, more: JsonObject = {}) => ({
      type: 'url_citation',
      url_citation: { url, ...more },
    })
    const parts = [
      {
        ...said('See this'),
        citations: [
          { type: 'url', url: 'https://a.test', title: 'A', start: 4, end: 8, citedText: 'word' },
          { type: 'url', url: 'https://b.test' },
        ],
      },
    ]
    const annotations = [
      note('https://a.test', { title: 'A', start_index: 4, end_index: 8, content: 'word' }),
      note('https://b.test', { title: '', start_index: 0, end_index: 0 }),
      { type: 'file', file: {} },
    ]
    expect(answer(textChunk('See this'), chunk({ annotations }), ending('stop'))).toEqual([
      parts,
      'stop',
    ])
  })

  test('places of citations count from the beginning of their part of the text', () => {
    const note = (start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url: 'https://a.test', start_index, end_index },
    })
    const cited = (more: JsonObject = {}) => ({ type: 'url', url: 'https://a.test', ...more })
    const [parts] = answer(
      textChunk('four'),
      chunk({ reasoning: 'hm' }),
      textChunk('five'),
      chunk({ annotations: [note(4, 6), note(2, 5), note(0, 3)] }),
      ending('stop'),
    ) as [unknown[]]
    const citations = [cited({ start: 0, end: 2 }), cited({ start: 0, end: 1 }), cited()]
    expect(parts[2]).toEqual({ ...said('five'), citations })
  })

  test('a plain stop behind another reason is not the reason', () => {
    expect(answer(textChunk('a'), ending('length'), ending('stop'))).toEqual([
      [said('a')],
      'length',
    ])
    expect(answer(textChunk('a'), ending('stop'), ending('length'))).toEqual([
      [said('a')],
      'length',
    ])
  })

  test('Perplexity’s list of sources is what the text cites', () => {
    const citations = ['https://a.test', 5]
    const part = { ...said('a [1]'), citations: [{ type: 'url', url: 'https://a.test' }] }
    expect(answer({ ...textChunk('a [1]'), citations }, { ...ending('stop'), citations })).toEqual([
      [part],
      'stop',
    ])
  })

  test('probabilities come with their text', () => {
    const token = {
      token: 'a',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: [{ token: 'b', logprob: -1, bytes: null }, {}],
    }
    const logprobs = [
      { token: 'a', logprob: -0.5, bytes: [97], top: [{ token: 'b', logprob: -1 }] },
    ]
    const wire = chunk({ content: 'a' }, { logprobs: { content: [token], refusal: null } })
    expect(answer(wire, ending('stop'))).toEqual([[{ ...said('a'), logprobs }], 'stop'])
  })

  test('images arrive', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAA=' } }]
    const image = { type: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAA=' } }
    expect(answer(textChunk('a'), chunk({ images }), textChunk('b'), ending('stop'))).toEqual([
      [said('a'), image, said('b')],
      'stop',
    ])
  })

  test('answers side by side have their own blocks and ends', () => {
    const at = (index: number, content: string, finish_reason: string | null = null) => ({
      choices: [{ index, delta: { content }, finish_reason }],
    })
    const events = decodeChunks([
      at(0, 'a'),
      at(1, 'x'),
      at(0, 'b', 'stop'),
      at(1, 'y', 'length'),
      '[DONE]',
    ])
    checkEvents(events, true)
    expect(bare(folded(events).choices)).toEqual([
      { index: 0, parts: [said('ab')], finish: { reason: 'stop' } },
      { index: 1, parts: [said('xy')], finish: { reason: 'length' } },
    ])
  })

  const ends: readonly (readonly [told: unknown, reason: string])[] = [
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'filter'],
    ['tool_calls', 'tool-calls'],
    ['error', 'failed'],
    ['', 'stop'],
    [null, 'stop'],
    ['boredom', 'other'],
  ]
  test('every reason of the end has its word', () => {
    for (const [told, reason] of ends)
      expect([told, answer(textChunk('a'), ending(told))]).toEqual([told, [[said('a')], reason]])
  })

  test('T19: the stop sequence is told where the vendor tells it', () => {
    const wire = chunk({}, { finish_reason: 'stop', stop_reason: 'END' })
    expect(folded(decodeChunks([textChunk('a'), wire, '[DONE]'])).choices[0]?.finish).toEqual({
      reason: 'stop',
      stopSequence: 'END',
    })
  })

  test('usage may come in any chunk, also behind the end, and in Groq’s own object', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const forms: readonly (readonly unknown[])[] = [
      [{ ...textChunk('a'), usage }, ending('stop')],
      [textChunk('a'), ending('stop'), { choices: [], usage }],
      [textChunk('a'), { ...ending('stop'), x_groq: { usage } }],
      [
        { ...textChunk('a'), usage: { ...usage, completion_tokens: 1 } },
        { ...ending('stop'), usage },
      ],
    ]
    for (const chunks of forms) {
      const { usage: told } = folded(decodeChunks([...chunks, '[DONE]']))
      expect(told).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    }
  })

  test('T19: id, model, time and tier are the upstream’s', () => {
    const events = decodeChunks([
      { choices: [], id: '', model: '', created: 0 },
      textChunk('a'),
      { ...ending('stop'), service_tier: 'flex' },
      '[DONE]',
    ])
    expect(bare(events[0])).toEqual({ type: 'start', id: 'chatcmpl-1', model: 'up', createdAt: 5 })
    expect(bare(events.at(-1))).toEqual({ type: 'end', serviceTier: 'flex' })
  })
})

describe('the end of a chat stream', () => {
  const types = (events: readonly AnswerEvent[]): readonly string[] =>
    events.map(({ type }) => type)
  const begun = ['start', 'text-start', 'text-delta']

  test('S5: without [DONE] it is regular if the vendor had told a reason', () => {
    expect(types(decodeChunks([textChunk('a'), ending('stop')]))).toEqual([
      ...begun,
      'text-end',
      'finish',
      'end',
    ])
  })

  test('S5: without a reason blocks end, and nothing is said of the whole', () => {
    expect(types(decodeChunks([textChunk('a'), '{"choi']))).toEqual([...begun, 'text-end'])
    expect(decodeChunks([])).toEqual([])
  })

  test('S5: of several answers all must have ended', () => {
    const other = { choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] }
    expect(types(decodeChunks([textChunk('a'), other]))).not.toContain('end')
  })

  test('S3: an error in it is its end, whatever follows, and was its reason told before', () => {
    const error = { message: 'Too much', code: 'overloaded' }
    const events = decodeChunks([
      textChunk('a'),
      ending('length'),
      { ...textChunk(''), error },
      textChunk('b'),
      '[DONE]',
    ])
    expect(types(events)).toEqual([...begun, 'error'])
    expect(bare(events.at(-1))).toEqual({ type: 'error', error })
  })

  test('S3: an error at once follows a start', () => {
    expect(types(decodeChunks(['{"error":"No"}', '[DONE]']))).toEqual(['start', 'error'])
  })

  test('nothing follows [DONE]', () => {
    const events = decodeChunks([
      textChunk('a'),
      '[DONE]',
      textChunk('b'),
      '[DONE]',
      { error: 'x' },
    ])
    expect(types(events)).toEqual([...begun, 'text-end', 'finish', 'end'])
    expect(types(decodeChunks(['[DONE]']))).toEqual(['start', 'finish', 'end'])
  })
})
