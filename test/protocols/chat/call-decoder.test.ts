import { describe, expect, test } from 'bun:test'
import {
  answer,
  called,
  calls,
  chunk,
  decodeChunks,
  ending,
  piece,
  said,
  textChunk,
} from './codec-scene.ts'

describe('calls in a chat stream', () => {
  const f = called('a', 'f', '{"x":1}')
  const g = called('b', 'g', '{}')
  const cases: readonly (readonly [
    name: string,
    chunks: readonly unknown[],
    parts: readonly unknown[],
  ])[] = [
    [
      'T3: the chunk that goes from text to a call keeps its first bytes',
      [
        textChunk('Well'),
        chunk({ content: '.', tool_calls: [piece(0, 'a', 'f', '{"x"')] }),
        calls(piece(0, undefined, undefined, ':1}')),
      ],
      [said('Well.'), f],
    ],
    [
      'T12: two at once, in turns',
      [
        textChunk('Hm'),
        calls(piece(0, 'a', 'f', '')),
        calls(piece(1, 'b', 'g', '')),
        calls(piece(0, undefined, undefined, '{"x":')),
        calls(piece(1, undefined, undefined, '{}')),
        calls(piece(0, undefined, undefined, '1}')),
      ],
      [said('Hm'), f, g],
    ],
    [
      'two whole ones in one chunk',
      [calls(piece(0, 'a', 'f', '{"x":1}'), piece(1, 'b', 'g', '{}'))],
      [f, g],
    ],
    [
      'T4: whole ones without an index',
      [calls(piece(undefined, 'a', 'f', '{"x":1}')), calls(piece(undefined, 'b', 'g', '{}'))],
      [f, g],
    ],
    [
      'pieces without an index, by their ids',
      [
        calls(piece(undefined, 'a', 'f', '{"x"')),
        calls(piece(undefined, 'b', 'g', '{')),
        calls(piece(undefined, 'a', undefined, ':1}')),
        calls(piece(undefined, 'b', undefined, '}')),
      ],
      [f, g],
    ],
    [
      'without index and id each name begins one',
      [calls(piece(undefined, '', 'f', '{"x":1}'), piece(undefined, '', 'g', '{}'))],
      [
        { ...f, callId: 'call_req1_0' },
        { ...g, callId: 'call_req1_1' },
      ],
    ],
    [
      'another id at the same index is another call',
      [calls(piece(0, 'a', 'f', '{"x":1}')), calls(piece(0, 'b', 'g', '{}'))],
      [f, g],
    ],
    [
      'another id at the same index is another call, though the first has no arguments',
      [calls(piece(0, 'b', 'g', '')), calls(piece(0, 'a', 'f', '{"x":1}'))],
      [g, f],
    ],
    [
      'another name behind whole arguments is another call',
      [calls(piece(0, undefined, 'f', '{"x":1}')), calls(piece(0, undefined, 'g', '{}'))],
      [
        { ...f, callId: 'call_req1_0' },
        { ...g, callId: 'call_req1_1' },
      ],
    ],
    [
      'the id and the name may be in every piece',
      [
        calls(piece(0, 'a', 'f', '')),
        calls(piece(0, 'a', 'f', '{"x":')),
        calls(piece(0, 'a', 'f', '1}')),
        calls(piece(0, 'a', 'f', '')),
      ],
      [f],
    ],
    [
      'the name may be in every piece, without an id',
      [calls(piece(0, undefined, 'f', '{"x":1}')), calls(piece(0, undefined, 'f', ''))],
      [{ ...f, callId: 'call_req1_0' }],
    ],
    [
      'a name may come in two pieces',
      [
        calls(piece(0, 'a', 'get_')),
        calls(piece(0, undefined, 'time')),
        calls(piece(0, undefined, undefined, '{}')),
      ],
      [called('a', 'get_time', '{}')],
    ],
    [
      'arguments may come before the name, and the id late',
      [calls(piece(0, undefined, undefined, '{"x"')), calls(piece(0, 'a', 'f', ':1}'))],
      [f],
    ],
    ['T5: arguments may be an object', [calls(piece(0, 'a', 'f', { x: 1 }))], [f]],
    ['without arguments they are an empty object', [calls(piece(0, 'b', 'g', null))], [g]],
    [
      'they keep their order when one has no arguments',
      [calls(piece(0, 'b', 'g')), calls(piece(1, 'a', 'f', '{"x":1}'))],
      [g, f],
    ],
    [
      'an id that comes twice is made another',
      [calls(piece(0, 'a', 'f', '{"x":1}'), piece(1, 'a', 'g', '{}'))],
      [f, { ...g, callId: 'call_req1_0' }],
    ],
    [
      'one without a name is none',
      [textChunk('x'), calls(piece(0, 'a', undefined, '{}'))],
      [said('x')],
    ],
    [
      'the first index may be 1, and text may follow',
      [calls(piece(1, 'a', 'f', '{"x":1}')), textChunk('Now')],
      [f, said('Now')],
    ],
    [
      'custom ones have free text',
      [
        calls({ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '{' } }),
        calls({ index: 0, custom: { input: '}' } }),
        textChunk('x'),
        calls({ index: 0, custom: { input: ' {more' } }),
      ],
      [called('a', 'patch', '{} {more', 'custom'), said('x')],
    ],
    [
      'Snowflake’s members of both kinds',
      [
        calls({
          index: 0,
          id: 'a',
          type: 'function',
          custom: { name: '', input: '' },
          function: { name: 'f', arguments: '{"x":1}' },
        }),
      ],
      [f],
    ],
    [
      'the older function_call',
      [
        chunk({ function_call: { name: 'f', arguments: '' } }),
        chunk({ function_call: { arguments: '{"x":1}' } }),
      ],
      [{ ...f, callId: 'call_req1_0' }],
    ],
  ]
  for (const [name, chunks, parts] of cases) {
    test(name, () => {
      const isNone = !parts.some((part) => (part as { type: string }).type === 'tool-call')
      expect(answer(...chunks, ending('stop'))).toEqual([parts, isNone ? 'stop' : 'tool-calls'])
    })
  }

  test('more at once than any SDK takes end in their order', () => {
    const open = Array.from({ length: 200 }, (_, index) =>
      calls(piece(index, `c${index}`, index % 2 === 0 ? 'f' : undefined, '{"a"')),
    )
    const late = calls(piece(1, undefined, 'late', ':1}'), piece(199, undefined, 'last', ':1}'))
    const [parts] = answer(...open, late, ending('stop')) as [{ name: string; input: string }[]]
    expect(parts).toHaveLength(101)
    expect(parts.at(-1)).toMatchObject({ name: 'last', input: '{"a":1}' })
  })

  test('calls are the reason of the end, whatever the vendor calls it', () => {
    for (const told of ['stop', '', null, 'boredom', 'tool_use']) {
      expect(answer(calls(piece(0, 'b', 'g', '{}')), ending(told))).toEqual([[g], 'tool-calls'])
    }
    expect(answer(calls(piece(0, 'b', 'g', '{}')), ending('length'))).toEqual([[g], 'length'])
  })

  test('a call whose arguments are whole ends when another begins', () => {
    const events = decodeChunks(
      [calls(piece(0, 'a', 'f', '{"x":"}"}')), calls(piece(1, 'b', 'g', '{'))],
      false,
    )
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'tool-call-start',
      'tool-call-delta',
      'tool-call-end',
      'tool-call-start',
      'tool-call-delta',
    ])
  })
})
