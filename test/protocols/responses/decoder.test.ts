import { describe, expect, test } from 'bun:test'
import type { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'
import { bare, context, decodeEvents, foldWire } from './scene.ts'

const usage = { input_tokens: 7, output_tokens: 5 }
const created = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'gpt', created_at: 9, usage: null },
}
const completed = (output: readonly JsonObject[] = [], more: JsonObject = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output, usage, service_tier: 'flex', ...more },
})
const message = (text: string, more: JsonObject = {}) => ({
  type: 'message',
  id: 'msg_1',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
})
const call = (args: unknown, more: JsonObject = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'get',
  arguments: args,
  ...more,
})
const added = (item: JsonObject, output_index = 0) => ({
  type: 'response.output_item.added',
  output_index,
  item,
})
const done = (item: JsonObject, output_index = 0) => ({
  type: 'response.output_item.done',
  output_index,
  item,
})
const delta = (kind: string, piece: string, more: JsonObject = {}) => ({
  type: `response.${kind}.delta`,
  output_index: 0,
  delta: piece,
  ...more,
})

const partsOf = (...events: JsonObject[]) =>
  bare(foldWire([created, ...events, completed()]).choices[0]?.parts)

describe('an upstream’s stream', () => {
  test('begins once and ends once, with what it used', () => {
    const events = decodeEvents([
      created,
      { ...created, type: 'response.in_progress' },
      delta('output_text', 'Hi'),
      completed([message('Hi')]),
      completed([message('Hi')]),
      delta('output_text', 'again'),
    ])
    expect(events).toMatchObject([
      { type: 'start', id: 'resp_1', model: 'gpt', createdAt: 9 },
      { type: 'text-start', choice: 0 },
      { type: 'text-delta', text: 'Hi' },
      { type: 'text-end' },
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'end', serviceTier: 'flex', usage: { inputTokens: 7, outputTokens: 5 } },
    ])
  })

  test('T19: a time of 0 is none', () => {
    const [start] = decodeEvents([{ ...created, response: { ...created.response, created_at: 0 } }])
    expect(start).toEqual({ type: 'start', id: 'resp_1', model: 'gpt', createdAt: undefined })
  })

  test('S5: one that stops in the middle is closed, but does not end', () => {
    const events = decodeEvents([created, delta('output_text', 'Hi')])
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
    ])
    expect(decodeEvents([])).toEqual([])
  })

  test.each<[string, JsonObject, string]>([
    ['completed', {}, 'stop'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'filter'],
    ['incomplete', { incomplete_details: { reason: 'steered' } }, 'other'],
    ['cancelled', {}, 'failed'],
  ])('that is %s (%j) finishes with %s', (status, more, reason) => {
    const response = { status, output: [], ...more }
    const last = { type: `response.${status}`, response }
    const choices: unknown = [{ index: 0, parts: [], finish: { reason } }]
    expect(foldWire([created, last]).choices).toEqual(choices as [])
    expect(responses.codec.decodeResponse(response, context).choices).toEqual(choices as [])
  })

  test.each<[JsonObject[], object]>([
    [
      [{ type: 'error', error: { message: 'No.', code: 'insufficient_quota' } }],
      { message: 'No.', code: 'insufficient_quota' },
    ],
    [
      [{ type: 'error', message: 'No.', code: 'server_error', param: 'p' }],
      { message: 'No.', code: 'server_error', param: 'p' },
    ],
    [
      [
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'x', message: 'No.' } },
        },
      ],
      { message: 'No.', code: 'x' },
    ],
  ])('S3: an error in it is an error, and nothing comes after it: %j', (wire, error) => {
    const events = decodeEvents([created, ...wire, delta('output_text', 'late'), completed()])
    expect(events).toMatchObject([{ type: 'start' }, { type: 'error', error }])
  })

  test('T4: arguments that are told as a whole arrive', () => {
    const start = added(call(''))
    const whole = {
      type: 'response.function_call_arguments.done',
      output_index: 0,
      arguments: '{"a":1}',
    }
    const expected = [
      { type: 'tool-call', callId: 'c1', name: 'get', kind: 'function', input: '{"a":1}' },
    ]
    expect(partsOf(start, whole)).toEqual(expected)
    expect(partsOf(start, whole, done(call('{"a":1}')))).toEqual(expected)
    expect(partsOf(start, done(call('{"a":1}')))).toEqual(expected)
    expect(partsOf(done(call('{"a":1}')))).toEqual(expected)
    expect(partsOf(added(call('{"a":1}')))).toEqual(expected)
    expect(bare(foldWire([created, completed([call('{"a":1}')])]).choices[0]?.parts)).toEqual(
      expected,
    )
    expect(foldWire([created, completed([call('{}')])]).choices[0]?.finish.reason).toBe(
      'tool-calls',
    )
  })

  test('T5: arguments as an object are their text', () => {
    const expected = [
      { type: 'tool-call', callId: 'c1', name: 'get', kind: 'function', input: '{"a":1}' },
    ]
    expect(partsOf(done(call({ a: 1 })))).toEqual(expected)
    const whole = {
      type: 'response.function_call_arguments.done',
      output_index: 0,
      arguments: { a: 1 },
    }
    expect(partsOf(added(call('')), whole, done(call({ a: 1 })))).toEqual(expected)
    expect(partsOf(done(call('')))).toMatchObject([{ input: '{}' }])
  })

  test('T10: pieces, wholes and the last event tell the same text, which arrives once', () => {
    const pieces = [delta('output_text', 'Hel'), delta('output_text', 'lo')]
    const whole = { type: 'response.output_text.done', output_index: 0, text: 'Hello' }
    const part = {
      type: 'response.content_part.done',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: 'Hello' },
    }
    const item = done(message('Hello'))
    const orders = [
      pieces,
      [whole],
      [part],
      [item],
      [...pieces, whole, part, item, item],
      [pieces[0], whole, pieces[1], item],
      [pieces[0], item, pieces[1]],
    ] as JsonObject[][]
    for (const order of orders) {
      const events = [created, added(message('', { content: [] })), ...order]
      for (const output of [[], [message('Hello')]]) {
        const folded = foldWire([...events, completed(output)])
        expect(folded.choices[0]?.parts.map(textOf)).toEqual(['Hello'])
      }
    }
    expect(foldWire([completed([message('Hello')])]).choices[0]?.parts.map(textOf)).toEqual([
      'Hello',
    ])
  })

  test('T10: signed reasoning is told once, with its last signature', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'E',
    }
    const summary = { summary_index: 0 }
    const events = [
      added({ ...item, summary: [], encrypted_content: 'early' }),
      { type: 'response.reasoning_summary_part.added', output_index: 0, ...summary },
      delta('reasoning_summary_text', 'hm', summary),
      { type: 'response.reasoning_summary_text.done', output_index: 0, text: 'hm', ...summary },
      {
        type: 'response.reasoning_summary_part.done',
        output_index: 0,
        part: { text: 'hm' },
        ...summary,
      },
      done(item),
    ]
    const expected = [{ type: 'reasoning', text: 'hm', signature: 'E', id: 'rs_1' }]
    expect(partsOf(...events)).toEqual(expected)
    expect(bare(foldWire([created, ...events, completed([item])]).choices[0]?.parts)).toEqual(
      expected,
    )
    expect(partsOf(done(item))).toEqual(expected)
  })

  test('T11: two reasoning items are two, also with one place or a late piece', () => {
    const one = { type: 'reasoning', id: 'rs_1', summary: [{ text: 'a' }], encrypted_content: 'E' }
    const two = { type: 'reasoning', id: 'rs_2', summary: [{ text: 'b' }], encrypted_content: 'F' }
    const expected = [
      { type: 'reasoning', text: 'a', signature: 'E', id: 'rs_1' },
      { type: 'reasoning', text: 'b', signature: 'F', id: 'rs_2' },
    ]
    expect(partsOf(done(one, 0), done(two, 1))).toEqual(expected)
    expect(partsOf(added(one), done(one), added(two), done(two))).toEqual(expected)
    expect(partsOf(done(one), delta('reasoning_summary_text', 'a', { summary_index: 0 }))).toEqual([
      expected[0],
    ])
    const late = delta('reasoning_summary_text', 'aa', { summary_index: 0 })
    expect(partsOf(done(one), late)).toMatchObject([{ text: 'a' }, { text: 'a' }])
  })

  test('several parts of a summary are one text; reasoning itself stands in for it', () => {
    const pieces = [
      delta('reasoning_summary_text', 'a', { summary_index: 0 }),
      delta('reasoning_summary_text', 'b', { summary_index: 1 }),
      delta('reasoning_summary_text', 'c', { summary_index: 1 }),
    ]
    expect(partsOf(...pieces)).toEqual([{ type: 'reasoning', text: 'a\n\nbc' }])
    const content = [{ type: 'reasoning_text', text: 'raw' }]
    const item = { type: 'reasoning', id: 'rs_1', summary: [], content }
    const raw = [{ type: 'reasoning', text: 'raw', id: 'rs_1' }]
    expect(partsOf(delta('reasoning_text', 'ra', { content_index: 0 }), done(item))).toEqual(raw)
    expect(partsOf(done({ ...item, summary: [{ text: 'sum' }] }))).toMatchObject([{ text: 'sum' }])
    expect(partsOf(done({ type: 'reasoning', id: 'rs_1', summary: [] }))).toEqual([])
  })

  test('reasoning ends before the text begins, whenever its vendor says so', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      content: [{ type: 'reasoning_text', text: 'hm' }],
      encrypted_content: 'E',
    }
    const events = decodeEvents([
      created,
      delta('reasoning_text', 'hm'),
      delta('output_text', 'Hi', { output_index: 1 }),
      done(message('Hi'), 1),
      done(item),
      completed([item, message('Hi')]),
    ])
    expect(events.slice(1, -2).map(({ type }) => type)).toEqual([
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'text-start',
      'text-delta',
      'text-end',
      'reasoning-start',
      'reasoning-end',
    ])
    const signatures = events.flatMap((event) =>
      event.type === 'reasoning-end' ? [event.signature] : [],
    )
    expect(signatures).toEqual([undefined, 'E'])
  })

  test('ids that change from event to event are no matter', () => {
    const events = ['a', 'b', 'c'].map((piece) =>
      delta('output_text', piece, { item_id: `id-${piece}`, content_index: 0 }),
    )
    const item = message('abc', { id: 'id-9' })
    expect(partsOf(added(message('', { id: 'id-0', content: [] })), ...events, done(item))).toEqual(
      [{ type: 'text', text: 'abc' }],
    )
  })

  test('places that are all the same are no matter where ids tell', () => {
    const calls = ['1', '2'].map((n) => call(`{"n":${n}}`, { id: `fc_${n}`, call_id: `c${n}` }))
    const events = [
      ...calls.map((item) => added({ ...item, arguments: '' })),
      ...calls.map((item) =>
        delta('function_call_arguments', item.arguments as string, { item_id: item.id }),
      ),
      ...calls.map((item) => done(item)),
    ]
    expect(partsOf(...events)).toMatchObject([
      { callId: 'c1', input: '{"n":1}' },
      { callId: 'c2', input: '{"n":2}' },
    ])
  })

  test('pieces that come before the item that names the call wait for it', () => {
    const piece = delta('function_call_arguments', '{"a"')
    expect(partsOf(piece, done(call('{"a":1}')))).toMatchObject([{ name: 'get', input: '{"a":1}' }])
    expect(partsOf(piece)).toEqual([])
  })

  test('calls have ids of their own', () => {
    const same = [call('{}', { id: 'fc_1' }), call('{}', { id: 'fc_2' })]
    const none = { type: 'function_call', name: 'get', arguments: '{}' }
    const parts = foldWire([created, completed([...same, none])]).choices[0]?.parts ?? []
    const ids = parts.map((part) => (part.type === 'tool-call' ? part.callId : ''))
    expect(ids[0]).toBe('c1')
    expect(new Set(ids).size).toBe(3)
  })

  test('T14: input of custom tools comes as it is', () => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'apply_patch' }
    const expected = [
      { type: 'tool-call', callId: 'c', name: 'apply_patch', kind: 'custom', input: '*** Begin' },
    ]
    const pieces = [
      delta('custom_tool_call_input', '*** '),
      delta('custom_tool_call_input', 'Begin'),
    ]
    expect(partsOf(added({ ...item, input: '' }), ...pieces)).toEqual(expected)
    const whole = {
      type: 'response.custom_tool_call_input.done',
      output_index: 0,
      input: '*** Begin',
    }
    expect(partsOf(added({ ...item, input: '' }), whole)).toEqual(expected)
    expect(partsOf(done({ ...item, input: '' }))).toMatchObject([{ input: '' }])
  })

  test('refusals, sources and probabilities arrive', () => {
    const annotation = {
      type: 'url_citation',
      url: 'https://a',
      title: 'A',
      start_index: 0,
      end_index: 1,
    }
    const logprobs = [{ token: 'T', logprob: -1, bytes: [84], top_logprobs: [] }]
    const cited = { type: 'output_text', text: 'T', annotations: [annotation], logprobs }
    expect(
      partsOf(
        delta('output_text', 'T', { content_index: 0, logprobs }),
        {
          type: 'response.output_text.annotation.added',
          output_index: 0,
          content_index: 0,
          annotation,
        },
        { type: 'response.content_part.done', output_index: 0, content_index: 0, part: cited },
        delta('refusal', 'No', { content_index: 1 }),
        { type: 'response.refusal.done', output_index: 0, content_index: 1, refusal: 'No.' },
        done({ type: 'message', content: [cited, { type: 'refusal', refusal: 'No.' }] }),
      ),
    ).toEqual([
      {
        type: 'text',
        text: 'T',
        citations: [{ type: 'url', url: 'https://a', title: 'A', start: 0, end: 1 }],
        logprobs: [{ token: 'T', logprob: -1, bytes: [84], top: [] }],
      },
      { type: 'refusal', text: 'No.' },
    ])
    const refused = foldWire([created, delta('refusal', 'No'), completed()])
    expect(refused.choices[0]?.finish.reason).toBe('refusal')
  })

  test('what the vendor runs itself, and what is not known, is skipped', () => {
    const search = { type: 'file_search_call', id: 'fs_1', status: 'completed' }
    expect(
      partsOf(
        added(search),
        { type: 'response.file_search_call.searching', output_index: 0 },
        done(search),
        { type: 'response.something_new', output_index: 0, delta: 'x' },
        { type: 'keepalive' },
        delta('output_text', 'Hi', { output_index: 1 }),
      ),
    ).toEqual([{ type: 'text', text: 'Hi' }])
  })

  test('frames that are no events, or have no type, are no matter', () => {
    const decoder = responses.codec.createDecoder(context)
    const frames: [string, string][] = [
      ['{"response":{"id":"resp_1"}}', 'response.created'],
      ['{"output_index":0,"delta":"Hi"}', 'response.output_text.delta'],
      ['[DONE]', ''],
      ['{"torn', 'response.output_text.delta'],
      ['[]', ''],
      ['null', ''],
      ['', ''],
    ]
    const events = frames.flatMap(([data, event]) => [...decoder.push(data, event)])
    expect(events.map(({ type }) => type)).toEqual(['start', 'text-start', 'text-delta'])
  })
})

describe('an upstream’s whole answer', () => {
  test('is read item by item', () => {
    const body = {
      id: 'resp_1',
      model: 'gpt',
      created_at: 9,
      status: 'completed',
      service_tier: 'priority',
      usage,
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ text: 'hm' }], encrypted_content: 'E' },
        message('Hi'),
        call('{"a":1}'),
      ],
    }
    expect(bare(responses.codec.decodeResponse(body, context))).toMatchObject({
      id: 'resp_1',
      model: 'gpt',
      createdAt: 9,
      serviceTier: 'priority',
      usage: { inputTokens: 7, outputTokens: 5 },
      choices: [
        {
          index: 0,
          finish: { reason: 'tool-calls' },
          parts: [
            { type: 'reasoning', text: 'hm', signature: 'E', id: 'rs_1' },
            { type: 'text', text: 'Hi' },
            { type: 'tool-call', callId: 'c1', input: '{"a":1}' },
          ],
        },
      ],
    })
  })

  test('that failed is an error', () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'No.' }, output: [] }
    const answer = responses.codec.decodeResponse(failed, context)
    expect(answer).toMatchObject({ error: { code: 'server_error', message: 'No.' }, choices: [] })
    expect(
      responses.codec.decodeResponse({ error: { message: 'No.' } }, context).error,
    ).toBeDefined()
  })

  test('the body of a refusal tells its message, its word and its field', () => {
    const error = { message: 'Bad.', type: 'invalid_request_error', param: 'input', code: null }
    expect(responses.codec.decodeError({ error })).toMatchObject({
      message: 'Bad.',
      code: 'invalid_request_error',
      param: 'input',
    })
    expect(responses.codec.encodeCount(7)).toEqual({
      object: 'response.input_tokens',
      input_tokens: 7,
    })
  })
})

const textOf = (part: ReturnType<typeof foldEvents>['choices'][number]['parts'][number]) =>
  part.type === 'text' ? part.text : part.type
