import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import { fixture } from '../feeding.ts'
import { contextOf, decodeChunks, decodeEvents, essence } from './codec-support.ts'

const begin = (usage: object = { input_tokens: 5, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', model: 'up', content: [], usage },
})
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, more: object) => ({
  type: 'content_block_delta',
  index,
  delta: more,
})
const stop = (index: number) => ({ type: 'content_block_stop', index })
const finish = (stop_reason: string, stop_sequence: string | null = null) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence },
  usage: { output_tokens: 9 },
})
const last = { type: 'message_stop' }

const text = (value: string) => ({ type: 'text', text: value })
const textDelta = (value: string) => ({ type: 'text_delta', text: value })
const thought = (value: string) => ({ type: 'thinking_delta', thinking: value })
const json = (value: string) => ({ type: 'input_json_delta', partial_json: value })
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look', input })

/** Of an answer with these events within: its events without their ids, begin and end. */
const within = (...events: readonly object[]) =>
  decodeEvents([begin(), ...events, finish('end_turn'), last]).slice(1, -2)
const kinds = (events: readonly AnswerEvent[]) => events.map(({ type }) => type)
const partsOf = (...events: readonly object[]) =>
  essence(
    foldEvents(decodeEvents([begin(), ...events, finish('end_turn'), last])).choices[0]?.parts,
  )

describe('a streamed message', () => {
  test('tells its beginning, its end, and the usage of both', () => {
    const events = decodeEvents([
      begin({
        input_tokens: 5,
        cache_read_input_tokens: 3,
        output_tokens: 1,
        service_tier: 'priority',
      }),
      { type: 'ping' },
      block(0, text('')),
      delta(0, textDelta('Hi')),
      stop(0),
      finish('end_turn'),
      last,
    ])
    const usage = {
      inputTokens: 5,
      outputTokens: 1,
      reasoningTokens: 0,
      cacheReadTokens: 3,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    }
    expect(essence(events)).toEqual([
      { type: 'start', id: 'msg_1', model: 'up', usage },
      { type: 'text-start', choice: 0, id: '0' },
      { type: 'text-delta', id: '0', text: 'Hi' },
      { type: 'text-end', id: '0' },
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'end', usage: { ...usage, outputTokens: 9 }, serviceTier: 'priority' },
    ])
  })

  test.each<[string, string | null, object]>([
    ['end_turn', null, { reason: 'stop' }],
    ['stop_sequence', 'END', { reason: 'stop', stopSequence: 'END' }],
    ['max_tokens', null, { reason: 'length' }],
    ['model_context_window_exceeded', null, { reason: 'length' }],
    ['tool_use', null, { reason: 'tool-calls' }],
    ['pause_turn', null, { reason: 'pause' }],
    ['compaction', null, { reason: 'pause' }],
    ['refusal', null, { reason: 'refusal' }],
    ['newer', null, { reason: 'other' }],
  ])('T19: %s', (reason, sequence, expected) => {
    const events = decodeEvents([begin(), finish(reason, sequence), last])
    expect(essence(events.at(-2))).toEqual({ type: 'finish', choice: 0, ...expected })
    const body = { id: 'msg_1', content: [], stop_reason: reason, stop_sequence: sequence }
    const answer = messagesCodec.decodeResponse(body, contextOf())
    expect(essence(answer.choices)).toEqual([{ index: 0, parts: [], finish: expected }])
  })

  test('usage that is told at the beginning only stays', () => {
    const { usage: _, ...bare } = finish('end_turn')
    const events = decodeEvents([begin({ input_tokens: 5, output_tokens: 3 }), bare, last])
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 5, outputTokens: 3 } })
  })

  test('T2: begins once, though the upstream says it twice', () => {
    const events = decodeEvents([begin(), begin(), block(0, text('a')), finish('end_turn'), last])
    expect(kinds(events).filter((type) => type === 'start')).toHaveLength(1)
    expect(kinds(events).at(-1)).toBe('end')
  })

  test('begins though the upstream does not say so', () => {
    expect(kinds(decodeEvents([block(0, text('a')), finish('end_turn'), last]))[0]).toBe('start')
    expect(kinds(decodeEvents([last]))).toEqual(['start', 'finish', 'end'])
  })

  test('ends without its last event if it has told how', () => {
    const events = [begin(), block(0, text('a')), finish('max_tokens')]
    expect(kinds(decodeEvents(events)).slice(-3)).toEqual(['text-end', 'finish', 'end'])
  })

  test('S5: cut off, its blocks are closed, and nothing is said of an end', () => {
    expect(kinds(decodeChunks([fixture('messages/cut.sse')]))).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
    ])
  })

  test('calls are what it ended for, whatever it says', () => {
    const events = decodeEvents([begin(), block(0, call('c1')), stop(0), finish('end_turn'), last])
    expect(events.at(-2)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
    const cut = decodeEvents([begin(), block(0, call('c1')), stop(0), finish('max_tokens'), last])
    expect(cut.at(-2)).toMatchObject({ type: 'finish', reason: 'length' })
  })
})

describe('blocks', () => {
  test('T1: reasoning before text is reasoning, then text', () => {
    expect(
      kinds(
        within(
          block(0, { type: 'thinking', thinking: '', signature: '' }),
          delta(0, thought('hm')),
          delta(0, { type: 'signature_delta', signature: 'S' }),
          stop(0),
          block(1, text('')),
          delta(1, textDelta('Hi')),
          stop(1),
        ),
      ),
    ).toEqual([
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
    ])
  })

  test('T1: reasoning inside of a block that was opened as text is reasoning', () => {
    const parts = partsOf(
      block(0, text('')),
      delta(0, thought('hm')),
      delta(0, textDelta('Hi')),
      stop(0),
    )
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hi' },
    ])
  })

  test('T8, T10: a signature is the one that came, once', () => {
    const signature = `${'Eq+/'.repeat(500)}==`
    expect(
      partsOf(
        block(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, thought('a')),
        delta(0, { type: 'signature_delta', signature: 'replaced' }),
        delta(0, { type: 'signature_delta', signature }),
        stop(0),
        delta(0, { type: 'signature_delta', signature: 'late' }),
        block(1, { type: 'redacted_thinking', data: 'D==' }),
        stop(1),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'a', signature },
      { type: 'reasoning', text: '', signature: 'D==', isRedacted: true },
    ])
  })

  test('T3, T12: parallel calls have ids, names and arguments of their own', () => {
    expect(
      partsOf(
        block(0, text('Let me look.')),
        stop(0),
        block(1, call('c1')),
        block(2, call('c2')),
        delta(1, json('{"a"')),
        delta(2, json('{"b":2}')),
        delta(1, json(':1}')),
        stop(1),
        stop(2),
      ),
    ).toEqual([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-call', callId: 'c1', name: 'look', kind: 'function', input: '{"a":1}' },
      { type: 'tool-call', callId: 'c2', name: 'look', kind: 'function', input: '{"b":2}' },
    ])
  })

  test.each<[string, object[], string]>([
    ['no deltas', [block(0, call('c', { a: 1 })), stop(0)], '{"a":1}'],
    ['no deltas, no stop', [block(0, call('c', { a: 1 }))], '{"a":1}'],
    ['nothing', [block(0, call('c')), delta(0, json('')), stop(0)], '{}'],
    ['text (T5)', [block(0, call('c', '{"a":1}')), stop(0)], '{"a":1}'],
    [
      'deltas after a whole input',
      [block(0, call('c', { a: 1 })), delta(0, json('{"b":2}'))],
      '{"b":2}',
    ],
    [
      'integers beyond 2^53',
      [block(0, call('c')), delta(0, json('{"id":12345678901234567890}'))],
      '{"id":12345678901234567890}',
    ],
  ])('T4: arguments from %s arrive', (_name, events, input) => {
    expect(partsOf(...events)).toMatchObject([{ type: 'tool-call', input }])
  })

  test('T14: a custom tool’s input is its bare text again', () => {
    const context = contextOf({ tools: [{ kind: 'custom', name: 'look' }] })
    const inputOf = (...pieces: string[]) => {
      const events = [begin(), block(0, call('c')), ...pieces.map((piece) => delta(0, json(piece)))]
      const { choices } = foldEvents(decodeEvents([...events, finish('tool_use'), last], context))
      return choices[0]?.parts[0]
    }
    const custom = { type: 'tool-call', kind: 'custom' }
    expect(inputOf('{"inp', 'ut":"*** a\\n', 'b"}')).toMatchObject({ ...custom, input: '*** a\nb' })
    expect(inputOf('{"other":1}')).toMatchObject({ ...custom, input: '{"other":1}' })
    expect(inputOf('{"input":')).toMatchObject({ ...custom, input: '{"input":' })
  })

  test('a call without an id gets one', () => {
    const bare = { type: 'tool_use', name: 'look', input: {} }
    expect(partsOf(block(0, bare), stop(0), block(1, bare), stop(1))).toMatchObject([
      { callId: 'call_req1_0' },
      { callId: 'call_req1_1' },
    ])
  })

  test('citations come with the text that they stand behind', () => {
    const page = {
      type: 'web_search_result_location',
      url: 'https://a/b',
      title: 'P',
      cited_text: 'r',
    }
    const place = { type: 'page_location', cited_text: 'q', document_title: 'T' }
    expect(
      partsOf(
        block(0, { ...text('a'), citations: [page] }),
        delta(0, { type: 'citations_delta', citation: place }),
        delta(0, { type: 'citations_delta', citation: 7 }),
        stop(0),
        block(1, text('')),
        delta(1, { type: 'citations_delta', citation: page }),
        stop(1),
      ),
    ).toEqual([
      {
        type: 'text',
        text: 'a',
        citations: [
          { type: 'url', url: 'https://a/b', title: 'P', citedText: 'r' },
          { type: 'document', title: 'T', citedText: 'q', raw: place },
        ],
      },
      {
        type: 'text',
        text: '',
        citations: [{ type: 'url', url: 'https://a/b', title: 'P', citedText: 'r' }],
      },
    ])
  })

  test('T11: a delta of no open block begins one of its own', () => {
    const events = within(
      block(0, text('a')),
      stop(0),
      delta(0, textDelta('b')),
      delta(7, thought('c')),
    )
    expect(essence(events)).toEqual([
      { type: 'text-start', choice: 0, id: '0' },
      { type: 'text-delta', id: '0', text: 'a' },
      { type: 'text-end', id: '0' },
      { type: 'text-start', choice: 0, id: '1' },
      { type: 'text-delta', id: '1', text: 'b' },
      { type: 'text-end', id: '1' },
      { type: 'reasoning-start', choice: 0, id: '2' },
      { type: 'reasoning-delta', id: '2', text: 'c' },
      { type: 'reasoning-end', id: '2' },
    ])
  })

  test('an empty text, most of the vendor’s own tools, and what is newer are no blocks', () => {
    expect(
      within(
        block(0, text('')),
        stop(0),
        block(1, { type: 'server_tool_use', id: 's', name: 'web_fetch', input: {} }),
        delta(1, json('{"url":"x"}')),
        stop(1),
        block(2, { type: 'web_fetch_tool_result', tool_use_id: 's', content: {} }),
        stop(2),
        block(3, { type: 'compaction', content: null }),
        delta(3, { type: 'compaction_delta', content: 'x' }),
        delta(3, textDelta('x')),
        stop(3),
        block(4, { type: 'newer' }),
        delta(4, { type: 'newer_delta' }),
        { type: 'newer_event' },
      ),
    ).toEqual([])
  })
})

describe('an error', () => {
  test('S3: inside of the stream ends it; nothing follows', () => {
    const events = decodeChunks([fixture('messages/error-in-stream.sse')])
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { message: 'Overloaded', code: 'overloaded_error', param: undefined, status: 529 },
    })
    const more = decodeEvents([begin(), { type: 'error', error: { message: 'x' } }, last])
    expect(kinds(more)).toEqual(['start', 'error'])
  })

  test('S4: before everything else it comes alone', () => {
    expect(kinds(decodeEvents([{ type: 'error', error: { message: 'x' } }]))).toEqual(['error'])
  })

  test('that is no JSON is its own message', () => {
    const decoder = messagesCodec.createDecoder(contextOf())
    expect(decoder.push('upstream gone', 'error')).toMatchObject([
      { type: 'error', error: { message: 'upstream gone' } },
    ])
    expect(decoder.end()).toEqual([])
  })
})
