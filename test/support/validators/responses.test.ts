import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { changeAt, changed, singleFaults, toSse } from './mutations.ts'
import { validateResponses } from './responses.ts'
import {
  added,
  call,
  done,
  event,
  good,
  message,
  numbered,
  of,
  output,
  reasoning,
  usage,
  whole,
} from './responses-sample.ts'

const violationsOf = (events: readonly JsonObject[]) =>
  validateResponses(toSse(numbered(events), 'named'))

describe('a responses stream', () => {
  test('is valid as the vendor documents it', () => {
    expect(violationsOf(good)).toEqual([])
    expect(violationsOf(good.toSpliced(11, 0, { type: 'keepalive' }))).toEqual([])
    const queued = changeAt(good, 0, { response: { status: 'queued' } })
    const waiting = { ...queued[0], type: 'response.queued' }
    expect(violationsOf(queued.toSpliced(1, 0, waiting))).toEqual([])
  })

  test('may be cut off by its limit within an item', () => {
    const torn = { ...call, status: 'incomplete', arguments: '{"city":' }
    const response = { ...whole, status: 'incomplete', output: [reasoning, message, torn] }
    const details = { incomplete_details: { reason: 'max_output_tokens' } }
    const begun = [...good.slice(0, 18), changed(event(19), { arguments: torn.arguments })]
    const endWith = (type: string, members: JsonObject) =>
      violationsOf([...begun, done(2, torn), { type, response: { ...response, ...members } }])
    expect(endWith('response.incomplete', details)).toEqual([])
    expect(endWith('response.incomplete', {}).join()).toContain('incomplete_details null with')
    expect(endWith('response.completed', details).join()).toContain('call with status incomplete')
  })

  test('may refuse, and may reason in the open', () => {
    const thought = { type: 'reasoning_text', text: 'Why?' }
    const refusal = { type: 'refusal', refusal: 'No.' }
    const open = { id: 'rs_0', type: 'reasoning', summary: [], content: [thought] }
    const refused = { ...message, content: [refusal] }
    const events = [
      ...[event(0), event(1), added(0, { ...open, content: [] })],
      of('content_part.added', 0, { part: { ...thought, text: '' } }, 'content'),
      of('reasoning_text.delta', 0, { delta: 'Why?' }, 'content'),
      of('reasoning_text.done', 0, { text: 'Why?' }, 'content'),
      of('content_part.done', 0, { part: thought }, 'content'),
      ...[done(0, open), event(8)],
      of('content_part.added', 1, { part: { ...refusal, refusal: '' } }, 'content'),
      of('refusal.delta', 1, { delta: 'No.' }, 'content'),
      of('refusal.done', 1, { refusal: 'No.' }, 'content'),
      of('content_part.done', 1, { part: refusal }, 'content'),
      done(1, refused),
      { type: 'response.completed', response: { ...whole, output: [open, refused] } },
    ]
    expect(violationsOf(events)).toEqual([])
    for (const fault of singleFaults(events).values()) expect(violationsOf(fault)).not.toEqual([])
    const full = events.with(2, added(0, open))
    expect(violationsOf(full).join('\n')).toContain('content begins with something')
  })

  test('is reported when any one event is missing, doubled or out of place', () => {
    const unseen = [...singleFaults(good)].filter(([, events]) => violationsOf(events).length === 0)
    // An annotation may come before the text that it belongs to.
    expect(unseen.map(([name]) => name)).toEqual(['11 after 12'])
  })

  test.each([
    ['a gap', numbered(good).toSpliced(11, 1), 'sequence_number 12, expected 11'],
    ['a double', numbered(good).with(11, { ...event(11), sequence_number: 10 }), 'expected 11'],
    ['no numbers', good, 'sequence_number undefined, expected 0'],
    ['a start at 1', numbered([event(0), ...good]).slice(1), 'sequence_number 1, expected 0'],
  ])('is reported with %s in its numbers', (_, events, words) => {
    expect(validateResponses(toSse(events, 'named')).join('\n')).toContain(words)
  })

  const broken: [string, readonly JsonObject[], string][] = [
    ['no response.created', good.toSpliced(0, 1), 'response.created comes first, and once'],
    ['response.created twice', good.toSpliced(2, 0, event(0)), 'comes first, and once'],
    ['no response.in_progress', good.toSpliced(1, 1), 'before response.in_progress'],
    ['an end right after created', [event(0), event(25)], 'before response.in_progress'],
    ['two open items', good.toSpliced(7, 1), 'the item before it is open'],
    ['T11: a delta without an item', good.toSpliced(16, 0, event(11)), 'no item is open'],
    ['an item done twice', good.toSpliced(16, 0, event(15)), 'no item is open'],
    ['T4: arguments never done', good.toSpliced(19, 1), 'no response.function_call_arguments.done'],
    ['T3: a lost first delta', good.toSpliced(17, 1), 'arguments is not what the deltas add up'],
    ['arguments after done', good.toSpliced(20, 0, event(18)), 'after its text was done'],
    [
      'arguments of another kind',
      good.with(22, { ...event(17), output_index: 3 }),
      'a custom_tool',
    ],
    ['text after done', good.toSpliced(14, 0, event(11)), 'after its text was done'],
    ['a part never done', good.toSpliced(14, 1), 'a part is open'],
    ['a part whose text is not done', good.toSpliced(13, 1), 'its text is not done'],
    ['a part closed as another', good.toSpliced(14, 0, event(6)), 'no summary part is open'],
    ['text without a part', good.toSpliced(9, 1), 'no part output_text is open'],
    ['an unknown event', good.toSpliced(11, 0, of('text.delta', 1, {})), 'vendor does not have'],
    ['an unknown step', good.with(18, of('function_call_arguments.more', 2, {})), 'does not have'],
    ['no end', good.slice(0, -1), 'no terminal event'],
    ['two ends', [...good, event(25)], 'after the terminal event'],
    ['an event after the end', [...good, event(11)], 'after the terminal event'],
    ['an end within an item', good.toSpliced(24, 1), 'an item is open'],
    ['nothing', [], 'no terminal event'],
  ]
  test.each(broken)('is reported: %s', (_, events, words) => {
    expect(violationsOf(events).join('\n')).toContain(words)
  })

  const altered: [string, number, JsonObject, string][] = [
    ['an output_index that jumps', 8, { output_index: 2 }, 'output_index 2, expected 1'],
    ['a delta of another place', 11, { output_index: 0 }, 'output_index 0 is not the open'],
    ['an end of another place', 24, { output_index: 2 }, 'output_index 2 is not the open'],
    ['a delta of another item', 11, { item_id: 'rs_0' }, 'item_id rs_0 is not the open'],
    ['a delta that is no text', 17, { delta: { city: 'Paris' } }, 'delta is no text'],
    ['a content_index that jumps', 9, { content_index: 1 }, 'content_index 1, expected 0'],
    ['no content_index', 11, { content_index: undefined }, 'content_index undefined'],
    ['a summary_index that jumps', 3, { summary_index: 1 }, 'summary_index 1, expected 0'],
    ['another text', 13, { text: 'I see.' }, 'text is not what the deltas add up to'],
    ['no logprobs', 11, { logprobs: undefined }, 'logprobs is no array'],
    ['an annotation_index that jumps', 12, { annotation_index: 1 }, 'annotation_index, expected 0'],
    ['T1: text in reasoning', 3, { part: event(9).part }, 'a part output_text of a reasoning'],
    ['a part that begins with text', 9, { part: { text: 'I' } }, 'the part begins with something'],
    ['a part without text', 9, { part: { text: undefined } }, 'a part output_text without text'],
    [
      'a part without annotations',
      9,
      { part: { annotations: undefined } },
      'annotations is no array',
    ],
    ['a part with another text', 14, { part: { text: 'I see.' } }, "the part's text is not what"],
    ['a part of another type', 14, { part: { type: 'refusal' } }, 'its type was output_text'],
    [
      'a part that loses annotations',
      14,
      { part: { annotations: [] } },
      'not those that were added',
    ],
  ]
  const alteredItems: [string, number, JsonObject, string][] = [
    ['no id', 8, { id: undefined }, 'item.id is empty'],
    ['T11: an id twice', 8, { id: 'rs_0' }, "the id rs_0 is another item's"],
    ['a call_id twice', 21, { call_id: 'call_0' }, "the call_id call_0 is another item's"],
    ['no call_id', 16, { call_id: undefined }, 'a function_call without call_id'],
    ['no name', 16, { name: '' }, 'a function_call without name'],
    ['arguments at its begin', 16, call, 'arguments begins with something'],
    ['content at its begin', 8, message, 'content begins with something'],
    ['its end at its begin', 8, { status: 'completed' }, 'it begins with status completed'],
    ['another id at its end', 20, { id: 'fc_1' }, 'its id was fc_0'],
    ['another type at its end', 20, { type: 'custom_tool_call' }, 'its type was function_call'],
    ['another call_id at its end', 20, { call_id: 'x' }, 'its call_id was call_0'],
    ['another name at its end', 20, { name: 'x' }, 'its name was weather'],
    ['no end at its end', 20, { status: 'in_progress' }, 'it is done, but in progress'],
    ['T4: {} at its end', 20, { arguments: '{}' }, 'arguments is not what the deltas add up to'],
    ['no content at its end', 15, { content: [] }, 'content is not the parts that were done'],
    ['no summary at its end', 7, { summary: [] }, 'summary is not the parts that were done'],
    ['T8: an empty seal', 7, { encrypted_content: '' }, 'encrypted_content is empty'],
  ]
  const alteredResponses: [string, number, JsonObject, string][] = [
    ['another object', 0, { object: 'x' }, 'object is x'],
    ['no id', 0, { id: '' }, 'response.id is empty'],
    ['no model', 0, { model: '' }, 'response.model is empty'],
    ['no time', 0, { created_at: null }, 'created_at is no time'],
    ['no tools', 0, { tools: undefined }, 'tools is no array'],
    ['no parallel_tool_calls', 0, { parallel_tool_calls: null }, 'no parallel_tool_calls'],
    ['no temperature', 0, { temperature: undefined }, 'no temperature'],
    ['output at its start', 0, { output }, 'output is not []'],
    ['usage at its start', 1, { usage }, 'usage before the end'],
    ['another id at its end', 25, { id: 'resp_2' }, "id is not response.created's"],
    ['another model at its end', 25, { model: 'x' }, 'model has changed'],
    ['a wrong status', 25, { status: 'in_progress' }, 'status is in_progress, not completed'],
    ['items lost', 25, { output: [reasoning] }, '1 items, but 4 done'],
    ['another item', 25, { output: output.with(1, { ...message, id: 'x' }) }, 'output[1] is not'],
    [
      'T9: a seal lost',
      25,
      { output: output.with(0, { ...reasoning, encrypted_content: null }) },
      '[0]',
    ],
    ['no usage', 25, { usage: null }, 'usage is no object'],
    [
      'T18: no details',
      25,
      { usage: { input_tokens_details: null } },
      'input_tokens_details is no',
    ],
    ['wrong sums', 25, { usage: { total_tokens: 42 } }, 'total_tokens is not the sum'],
    ['odd counts', 25, { usage: { input_tokens: '20' } }, 'input_tokens is no count'],
  ]
  test.each([
    ...altered,
    ...alteredItems.map(
      ([name, at, item, words]) => [`item, ${name}`, at, { item }, words] as const,
    ),
    ...alteredResponses.map(
      ([name, at, response, words]) => [`response, ${name}`, at, { response }, words] as const,
    ),
  ])('is reported: %s', (_, at, members, words) => {
    expect(violationsOf(changeAt(good, at, members)).join('\n')).toContain(words)
  })

  test.each([
    ['cached_tokens is no count', 'input_tokens_details', { cached_tokens: null }],
    ['cache_write_tokens is no count', 'input_tokens_details', { cache_write_tokens: '0' }],
    ['more cached tokens than input_tokens', 'input_tokens_details', { cached_tokens: 21 }],
    ['reasoning_tokens is no count', 'output_tokens_details', { reasoning_tokens: '5' }],
    ['more reasoning_tokens than output_tokens', 'output_tokens_details', { reasoning_tokens: 11 }],
  ])('is reported with usage that is wrong: %s', (words, field, members) => {
    const events = changeAt(good, 25, { response: { usage: { [field]: members } } })
    expect(violationsOf(events)).toEqual([`event 25 (response.completed): ${words}`])
  })

  test('has names that are the types', () => {
    const unnamed = validateResponses(toSse(numbered(good), 'unnamed'))
    expect(unnamed).toHaveLength(good.length)
    expect(unnamed).toContain("event 0 (response.created): the event's name is undefined")
    const doned = `${toSse(numbered(good), 'named')}data: [DONE]\n\n`
    expect(validateResponses(doned)).toEqual(['event 26: data is no object'])
  })
})
