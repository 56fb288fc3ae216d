import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { validateMessages } from './messages.ts'
import { validateMessagesBody } from './messages-shape.ts'
import { changeAt, changed, singleFaults, toSse } from './mutations.ts'

const usage = {
  input_tokens: 9,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
  output_tokens: 1,
}
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
}
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }

const start = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (index: number, type: string, fields: JsonObject): JsonObject => ({
  type: 'content_block_delta',
  index,
  delta: { type, ...fields },
})
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index })
const end = (reason: string): JsonObject => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 30, output_tokens_details: { thinking_tokens: 8 } },
})

const good: readonly JsonObject[] = [
  { type: 'message_start', message },
  start(0, { type: 'thinking', thinking: '', signature: '' }), // 1
  { type: 'ping' }, // 2
  delta(0, 'thinking_delta', { thinking: 'Where?' }), // 3
  delta(0, 'signature_delta', { signature: 'c2ln' }), // 4
  stop(0), // 5
  start(1, { type: 'text', text: '' }), // 6
  delta(1, 'text_delta', { text: 'I look.' }), // 7
  stop(1), // 8
  start(2, toolUse), // 9
  delta(2, 'input_json_delta', { partial_json: '{"city":' }), // 10
  delta(2, 'input_json_delta', { partial_json: '"Paris"}' }), // 11
  stop(2), // 12
  end('tool_use'), // 13
  { type: 'message_stop' }, // 14
]
const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

const event = (at: number): JsonObject => good[at] ?? {}
const violationsOf = (events: readonly unknown[]) => validateMessages(toSse(events, 'named'))

describe('a messages stream', () => {
  test('is valid as the vendor documents it', () => {
    expect(violationsOf(good)).toEqual([])
    const cut = [...good.slice(0, 11), stop(2), end('max_tokens'), { type: 'message_stop' }]
    expect(violationsOf(cut)).toEqual([])
  })

  test('is reported when any one event is missing, doubled or out of place', () => {
    const unseen = [...singleFaults(good)].filter(([, events]) => violationsOf(events).length === 0)
    // Pings are free, and texts are what they are.
    expect(unseen.map(([name]) => name)).toEqual([
      '1 after 2',
      ...['without 2', '2 twice', '2 after 3'],
      ...['without 3', '3 twice', 'without 4', 'without 7', '7 twice'],
    ])
  })

  const broken: [string, readonly unknown[], string][] = [
    ['T2: a second message_start', good.toSpliced(9, 0, event(0)), 'a second message_start'],
    ['a block before message_start', good.toSpliced(0, 1), 'before message_start'],
    [
      'T1: reasoning in a block of text',
      good.with(7, { ...event(3), index: 1 }),
      'thinking_delta in',
    ],
    [
      'text in a tool call',
      good.with(10, { ...event(7), index: 2 }),
      'text_delta in a block of tool',
    ],
    ['two open blocks', good.toSpliced(8, 1), 'the block before it is open'],
    ['an index that jumps', good.with(6, { ...event(6), index: 2 }), 'index 2, expected 1'],
    ['an index that comes again', good.with(6, { ...event(6), index: 0 }), 'index 0, expected 1'],
    ['a delta of a closed block', good.toSpliced(9, 0, event(7)), 'no block is open'],
    ['a delta of another block', good.with(7, { ...event(7), index: 0 }), 'is not the open block'],
    ['a stop of another block', good.with(8, stop(0)), 'index 0 is not the open block'],
    ['thinking after its signature', good.toSpliced(5, 0, event(3)), 'after signature_delta'],
    [
      'T8: an empty signature',
      changeAt(good, 4, { delta: { signature: '' } }),
      'signature is empty',
    ],
    ['T3: a torn input', good.toSpliced(10, 1), 'the input of block 2 is no JSON object'],
    [
      'input outside of the deltas',
      good.with(9, start(2, { ...toolUse, input: { a: 1 } })),
      'input b',
    ],
    ['two calls with one id', [...good.slice(0, 13), start(3, toolUse), stop(3)], 'another block'],
    ['an open block at the end', good.toSpliced(12, 1), 'a block is open'],
    ['two message_deltas', good.toSpliced(13, 0, event(13)), 'after message_delta'],
    [
      'a block after message_delta',
      [...good.slice(0, 14), start(3, toolUse)],
      'after message_delta',
    ],
    [
      'a stop without reason',
      good.with(13, { ...event(13), delta: {} }),
      'stop_reason undefined is',
    ],
    ['a reason of another vendor', good.with(13, end('stop')), 'stop_reason stop is unknown'],
    ['end_turn with a call', good.with(13, end('end_turn')), 'end_turn though a tool is called'],
    ['tool_use without a call', good.toSpliced(9, 4), 'without a tool_use block'],
    ['stop_sequence without one', good.with(13, end('stop_sequence')), 'does not fit stop_reason'],
    ['a delta without usage', changeAt(good, 13, { usage: undefined }), 'usage is no object'],
    [
      'usage without output',
      changeAt(good, 13, { usage: { output_tokens: null } }),
      'output_tokens',
    ],
    [
      'more thinking than output',
      changeAt(good, 13, { usage: { output_tokens: 7 } }),
      'thinking_to',
    ],
    [
      'T18: no cache counts at the start',
      changeAt(good, 0, { message: { usage: { cache_read_input_tokens: undefined } } }),
      'cache_read_input_tokens is no count',
    ],
    [
      'B3: cache writes that do not add up',
      changeAt(good, 0, { message: { usage: { cache_creation_input_tokens: 8 } } }),
      'is not the sum of cache_creation',
    ],
    [
      'content at the start',
      changeAt(good, 0, { message: { content: [toolUse] } }),
      'content is not',
    ],
    ['no model', changeAt(good, 0, { message: { model: '' } }), 'message.model is empty'],
    ['no id', changeAt(good, 0, { message: { id: undefined } }), 'message.id is empty'],
    ['no message_stop', good.slice(0, -1), 'no message_stop'],
    ['an event after message_stop', [...good, { type: 'ping' }], 'after message_stop'],
    ['[DONE]', [...good, '[DONE]'], 'data is no object'],
    ['an unknown event', good.toSpliced(5, 0, { type: 'text' }), 'a kind that the vendor does not'],
    ['an error', [...good.slice(0, 3), overloaded], 'end: no message_stop'],
    ['nothing', [], 'no message_stop'],
  ]
  test.each(broken)('is reported: %s', (_, events, words) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  const atStart = (members: JsonObject) => changeAt(good, 0, { message: members })
  const redacted = { type: 'redacted_thinking', data: '' }
  const members: [string, readonly unknown[]][] = [
    ['message.type is not message', atStart({ type: 'x' })],
    ['message.role is not assistant', atStart({ role: 'user' })],
    ['stop_reason is not null', atStart({ stop_reason: 'end_turn' })],
    ['stop_sequence is not null', atStart({ stop_sequence: '' })],
    [
      'ephemeral_5m_input_tokens',
      atStart({ usage: { cache_creation: { ephemeral_5m_input_tokens: '3' } } }),
    ],
    ['input_tokens is no count', changeAt(good, 13, { usage: { input_tokens: '9' } })],
    ['output_tokens is no count', changeAt(good, 13, { usage: { output_tokens: 30.5 } })],
    ['a block without type', good.with(6, start(1, {}))],
    ['thinking without thinking', good.with(1, start(0, { type: 'thinking', signature: '' }))],
    ['thinking without signature', good.with(1, start(0, { type: 'thinking', thinking: '' }))],
    ['redacted without data', good.with(1, start(0, redacted))],
    ['text begins with something', good.with(6, start(1, { type: 'text', text: 'I' }))],
    ['tool_use without id', good.with(9, start(2, { ...toolUse, id: '' }))],
    ['tool_use without name', good.with(9, start(2, { ...toolUse, name: '' }))],
    ['text_delta without text', good.with(7, delta(1, 'text_delta', {}))],
  ]
  test.each(members)('is reported with a member that is wrong: %s', (words, events) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  test('has names that are the types', () => {
    const text = toSse(good, 'named')
    const unnamed = validateMessages(toSse(good, 'unnamed'))
    expect(unnamed).toContain("event 0 (message_start): the event's name is undefined")
    const renamed = validateMessages(text.replace('event: ping', 'event: pong'))
    expect(renamed).toEqual(["event 2 (ping): the event's name is pong"])
  })
})

describe('S3, S5: a messages stream that breaks off', () => {
  const errorOf = (events: readonly unknown[]) =>
    validateMessages(toSse(events, 'named'), { ending: 'error' })

  test('may do so anywhere', () => {
    for (let at = 0; at < good.length; at++) {
      expect(errorOf([...good.slice(0, at), overloaded])).toEqual([])
    }
  })

  test.each([
    ['the order is wrong before it', [...good.slice(1, 4), overloaded], 'before message_start'],
    ['it ends well', good, 'no error event'],
    ['it just stops', good.slice(0, 8), 'no error event'],
    ['the error comes after the end', [...good, overloaded], 'after message_stop'],
    ['something follows', [...good.slice(0, 8), overloaded, event(8)], 'after the error'],
    ['it is told twice', [overloaded, overloaded], 'after the error'],
    [
      'the kind is unknown',
      [changed(overloaded, { error: { type: 'server_error' } })],
      'is unknown',
    ],
    ['there is no message', [changed(overloaded, { error: { message: '' } })], 'message is empty'],
    ['it is the body of another vendor', [{ type: 'error', message: 'x' }], 'error is no object'],
  ])('is reported when %s', (_, events, words) => {
    expect(errorOf(events).join('\n')).toContain(words)
  })
})

describe('an unstreamed message', () => {
  const body = {
    ...message,
    content: [
      { type: 'text', text: 'I look.' },
      { ...toolUse, input: { city: 'Paris' } },
    ],
    stop_reason: 'tool_use',
  }

  test('is valid as the vendor documents it', () => {
    expect(validateMessagesBody(body)).toEqual([])
  })

  test.each([
    ['no object', [], 'it is no object'],
    ['no content', { ...body, content: 'I look.' }, 'content is no array of objects'],
    [
      'an input that is text',
      { ...body, content: [{ ...toolUse, input: '{}' }] },
      'input is no obj',
    ],
    ['text that is none', { ...body, content: [{ type: 'text' }] }, 'text without text'],
    ['no end', { ...body, stop_reason: null }, 'stop_reason null is unknown'],
    ['a reason that does not fit', { ...body, stop_reason: 'end_turn' }, 'though a tool is called'],
    ['no stop_sequence', changed(body, { stop_sequence: undefined }), 'neither text nor null'],
    ['a call twice', { ...body, content: [toolUse, toolUse] }, 'two tool_use blocks have one id'],
    ['no usage', changed(body, { usage: undefined }), 'usage is no object'],
    [
      'cache counts missing',
      { ...body, usage: { input_tokens: 1, output_tokens: 1 } },
      'cache_creat',
    ],
  ])('is reported with %s', (_, wrong, words) => {
    expect(validateMessagesBody(wrong).join('\n')).toContain(words)
  })
})
