import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { validateChat } from './chat.ts'
import { validateChatBody } from './chat-shape.ts'
import { changed, singleFaults, toSse } from './mutations.ts'

const head = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1700000000,
  model: 'gpt-x',
}
const usage = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 12, cache_write_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 5 },
}

const chunk = (delta: JsonObject, finish: string | null = null, index = 0): JsonObject => ({
  ...head,
  choices: [{ index, delta, logprobs: null, finish_reason: finish }],
})
const call = (index: number, name: string): JsonObject => ({
  tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
})
const piece = (index: number, text: string, more: JsonObject = {}): JsonObject => ({
  tool_calls: [{ index, function: { arguments: text }, ...more }],
})
const usageChunk: JsonObject = { ...head, choices: [], usage }

const good: readonly unknown[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'I ' }), // 1
  chunk({ content: 'look.' }), // 2
  chunk(call(0, 'weather')), // 3
  chunk(piece(0, '{"city":')), // 4
  chunk(piece(0, '"Paris"}')), // 5
  chunk(call(1, 'time')), // 6
  chunk(piece(1, '{}')), // 7
  chunk({}, 'tool_calls'), // 8
  usageChunk, // 9
  '[DONE]', // 10
]
const plain: readonly unknown[] = [
  chunk({ role: 'assistant', content: 'Hi' }),
  chunk({ content: '.' }),
  chunk({}, 'stop'),
  '[DONE]',
]
const error = { error: { message: 'Overloaded', type: 'server_error', param: null, code: null } }

const violationsOf = (events: readonly unknown[], asked = events.includes(usageChunk)) =>
  validateChat(toSse(events, 'unnamed'), { usage: asked })

describe('a chat stream', () => {
  test('is valid as the vendor documents it', () => {
    expect(violationsOf(good)).toEqual([])
    expect(violationsOf(plain)).toEqual([])
    const custom = {
      index: 0,
      id: 'call_0',
      type: 'custom',
      custom: { name: 'sql', input: 'select' },
    }
    const calls = [chunk({ role: 'assistant', tool_calls: [custom] }), good[8], '[DONE]']
    expect(violationsOf(calls)).toEqual([])
    expect(violationsOf([...good.slice(0, 7), chunk({}, 'length'), '[DONE]'])).toEqual([])
    const second = [chunk({ role: 'assistant' }, null, 1), chunk({}, 'stop', 1)]
    expect(violationsOf(plain.toSpliced(2, 0, ...second))).toEqual([])
  })

  test('is reported when any one chunk is missing, doubled or out of place', () => {
    const faults = [...singleFaults(good)]
    const unseen = faults.filter(([, events]) => violationsOf(events, true).length === 0)
    // Texts are what they are, and may come between the calls.
    expect(unseen.map(([name]) => name)).toEqual([
      ...['without 1', '1 twice', '1 after 2', 'without 2', '2 twice', '2 after 3'],
    ])
  })

  const broken: [string, readonly unknown[], string][] = [
    ['T13: no role', plain.with(0, chunk({ content: 'Hi' })), 'role undefined in choice 0'],
    ['a role that comes again', plain.with(1, chunk({ role: 'assistant' })), 'expected undefined'],
    ['another id', plain.with(1, { ...chunk({ content: '.' }), id: 'x' }), 'id is not the first'],
    ['another model', plain.with(1, { ...chunk({}), model: 'x' }), 'model is not the first'],
    ['another time', plain.with(1, { ...chunk({}), created: 1 }), 'created is not the first'],
    [
      'another object',
      plain.with(1, { ...chunk({}), object: 'chat.completion' }),
      'object is chat.c',
    ],
    ['no finish_reason', plain.toSpliced(2, 1), 'choice 0 has no finish_reason'],
    ['a delta behind it', plain.toSpliced(3, 0, plain[1]), 'choice 0 has finished already'],
    ['a reason of another vendor', plain.with(2, chunk({}, 'end_turn')), 'end_turn is unknown'],
    [
      'no member finish_reason',
      plain.with(1, { ...head, choices: [{ index: 0, delta: {} }] }),
      'null',
    ],
    ['no choice 0', [chunk({ role: 'assistant' }, 'stop', 1), '[DONE]'], 'no choice 0 of 1'],
    [
      'a choice without index',
      plain.with(1, { ...head, choices: [{ delta: {} }] }),
      'the index of',
    ],
    ['a member that nobody knows', plain.with(1, chunk({ text: '.' })), 'unknown field text'],
    ['text in parts', plain.with(1, chunk({ content: [{ text: '.' }] })), 'content is no text'],
    [
      'tool_calls without a call',
      plain.with(2, chunk({}, 'tool_calls')),
      'tool_calls, but no call',
    ],
    ['a call that ends with stop', good.with(8, chunk({}, 'stop')), 'stop though tools are called'],
    ['T12: a call index that jumps', good.with(6, chunk(call(2, 'time'))), 'index 2, expected 1'],
    ['a call that goes on too late', good.toSpliced(8, 0, good[4]), 'index 0, expected 2'],
    ['a call without id', good.with(3, chunk(piece(0, ''))), 'begins without id'],
    ['a call without name', good.with(3, chunk(call(0, ''))), 'begins without name'],
    ['two calls with one id', good.with(6, chunk(piece(1, '', { id: 'call_0' }))), 'the id call_0'],
    [
      'a piece with another id',
      good.with(5, chunk(piece(0, '"a"}', { id: 'x' }))),
      'another id, x',
    ],
    ['a name twice', good.with(5, chunk(call(0, 'weather'))), 'names the tool again'],
    [
      'T3: arguments without their start',
      good.toSpliced(4, 1),
      'arguments of call 0 are no object',
    ],
    ['T4: no arguments', good.toSpliced(7, 1), 'arguments of call 1 are no object'],
    [
      'T5: arguments as an object',
      good.with(7, chunk({ tool_calls: [{ index: 1, function: { arguments: {} } }] })),
      'are no text',
    ],
    ['an empty list of calls', plain.with(1, chunk({ tool_calls: [] })), 'tool_calls is empty'],
    [
      'usage in a chunk with choices',
      plain.with(2, { ...chunk({}, 'stop'), usage }),
      'has choices',
    ],
    ['usage before the end', good.toSpliced(9, 1).toSpliced(8, 0, usageChunk), 'before choice 0'],
    [
      'a chunk without anything',
      plain.with(1, { ...head, choices: [] }),
      'neither choices nor usage',
    ],
    ['no [DONE]', plain.slice(0, -1), 'ends with nothing, not with [DONE]'],
    ['[DONE] twice', [...plain, '[DONE]'], 'after [DONE]'],
    ['a chunk after [DONE]', [...plain, plain[1]], 'after [DONE]'],
    ['an error', [...plain.slice(0, 2), error], 'ends with the error, not with [DONE]'],
    ['an error before [DONE]', [...plain.slice(0, 2), error, '[DONE]'], 'after the error'],
    ['text that is no JSON', plain.with(1, 'hello'), 'data is no object'],
    ['nothing', [], 'no choices'],
  ]
  test.each(broken)('is reported: %s', (_, events, words) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  const members: [string, readonly unknown[]][] = [
    ['id is empty', plain.map((each) => (each === '[DONE]' ? each : { ...chunk({}), id: '' }))],
    ['model is empty', plain.with(0, { ...chunk({}), model: '' })],
    ['created is no time', plain.with(0, { ...chunk({}), created: '1700000000' })],
    ['refusal is no text', plain.with(1, chunk({ refusal: {} }))],
    ['reasoning_details is no array', plain.with(1, chunk({ reasoning_details: 'Why?' }))],
    ['begins with type undefined', good.with(3, chunk(piece(0, '', { id: 'call_0' })))],
    ['another type, custom', good.with(5, chunk(piece(0, '"a"}', { type: 'custom' })))],
    ['another kind, custom', good.with(5, chunk({ tool_calls: [{ index: 0, custom: {} }] }))],
    ['choices after the usage', good.toSpliced(10, 0, chunk({ role: 'assistant' }, 'stop', 1))],
  ]
  test.each(members)('is reported with a member that is wrong: %s', (words, events) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  test('has names for no chunk', () => {
    const named = validateChat(`event: message\n${toSse(plain, 'unnamed')}`)
    expect(named).toEqual(['chunk 0: an event name, message'])
  })

  test('tells usage when it was asked for, and only then', () => {
    expect(violationsOf(good, false)).toEqual(['chunk 9: usage that the client did not ask for'])
    expect(violationsOf(plain, true)).toEqual(['end: usage is told 0 times'])
  })

  test.each([
    ['sums that are wrong', { total_tokens: 31 }, 'total_tokens is not the sum'],
    [
      'no details of the input',
      { prompt_tokens_details: undefined },
      'prompt_tokens_details is no',
    ],
    ['no details of the output', { completion_tokens_details: undefined }, 'completion_tokens_det'],
    ['no cached tokens', { prompt_tokens_details: { cached_tokens: null } }, 'cached_tokens is no'],
    ['more cached than there are', { prompt_tokens_details: { cached_tokens: 17 } }, 'more cached'],
    [
      'more reasoning than output',
      { completion_tokens_details: { reasoning_tokens: 11 } },
      'more re',
    ],
    [
      'cache writes that are none',
      { prompt_tokens_details: { cache_write_tokens: '4' } },
      'cache_write_tokens is no count',
    ],
    [
      'reasoning that is none',
      { completion_tokens_details: { reasoning_tokens: '5' } },
      'reasoning_tokens is no count',
    ],
    [
      'counts that are none',
      { prompt_tokens: 20.5, total_tokens: 30.5 },
      'prompt_tokens is no count',
    ],
  ])('is reported with usage that has %s', (_, members, words) => {
    const events = good.with(9, changed(usageChunk, { usage: members }))
    expect(violationsOf(events, true).join('\n')).toContain(words)
  })
})

describe('S3, S5: a chat stream that breaks off', () => {
  const errorOf = (events: readonly unknown[]) =>
    validateChat(toSse(events, 'unnamed'), { ending: 'error', usage: true })

  test('may do so anywhere', () => {
    for (let at = 0; at < good.length; at++) {
      expect(errorOf([...good.slice(0, at), error])).toEqual([])
    }
  })

  test.each([
    ['the order is wrong before it', [plain[1], error], 'role undefined in choice 0'],
    ['it ends well', good, 'ends with [DONE], not with the error'],
    ['it just stops', good.slice(0, 5), 'ends with nothing, not with the error'],
    ['[DONE] follows', [...good.slice(0, 5), error, '[DONE]'], 'after the error'],
    ['it is told twice', [error, error], 'after the error'],
    ['there is no message', [changed(error, { error: { message: '' } })], 'message is empty'],
    ['there is no type', [changed(error, { error: { type: undefined } })], 'type is empty'],
    ['there is no code', [changed(error, { error: { code: undefined } })], 'code is neither'],
    ['its param is no text', [changed(error, { error: { param: 3 } })], 'param is no text'],
    ['it is in a chunk', [{ ...chunk({}), ...error }], 'an error beside other fields'],
    ['it is mere text', [{ error: 'Overloaded' }], 'error is no object'],
  ])('is reported when %s', (_, events, words) => {
    expect(errorOf(events).join('\n')).toContain(words)
  })
})

describe('an unstreamed completion', () => {
  const toolCall = {
    id: 'call_0',
    type: 'function',
    function: { name: 'weather', arguments: '{}' },
  }
  const choice = {
    index: 0,
    message: { role: 'assistant', content: null, refusal: null, tool_calls: [toolCall] },
    logprobs: null,
    finish_reason: 'tool_calls',
  }
  const body = { ...head, object: 'chat.completion', choices: [choice], usage }
  const withChoice = (members: JsonObject) => ({ ...body, choices: [changed(choice, members)] })
  const withCall = (members: JsonObject) =>
    withChoice({ message: { tool_calls: [changed(toolCall, members)] } })

  test('is valid as the vendor documents it', () => {
    expect(validateChatBody(body)).toEqual([])
  })

  test.each([
    ['no object', null, 'it is no object'],
    ["a chunk's object", { ...body, object: head.object }, 'not chat.completion'],
    ['no choices', { ...body, choices: [] }, 'no choices'],
    ['no content', withChoice({ message: { content: undefined } }), 'content is neither text nor'],
    ['no role', withChoice({ message: { role: undefined } }), 'role is not assistant'],
    ['a wrong index', withChoice({ index: 1 }), 'index is 1'],
    ['no end', withChoice({ finish_reason: null }), 'finish_reason null is unknown'],
    ['an end that does not fit', withChoice({ finish_reason: 'stop' }), 'though tools are called'],
    ['a call twice', withChoice({ message: { tool_calls: [toolCall, toolCall] } }), 'have one id'],
    ['no calls in a list', withChoice({ message: { tool_calls: null } }), 'tool_calls is no array'],
    ['T5: arguments as an object', withCall({ function: { arguments: {} } }), 'are no text'],
    ['a refusal that is no text', withChoice({ message: { refusal: {} } }), 'refusal is no text'],
    ['a call without id', withCall({ id: '' }), 'a tool call without id'],
    ['a call without type', withCall({ type: undefined }), 'a tool call of type undefined'],
    ['a call without name', withCall({ function: { name: '' } }), 'a tool call without name'],
    ['no usage', { ...body, usage: null }, 'usage is no object'],
  ])('is reported with %s', (_, wrong, words) => {
    expect(validateChatBody(wrong).join('\n')).toContain(words)
  })
})
