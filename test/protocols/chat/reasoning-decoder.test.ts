import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  answer,
  called,
  calls,
  chunk,
  ending,
  piece,
  said,
  textChunk,
  thought,
} from './codec-scene.ts'

describe('reasoning in a chat stream', () => {
  const detail = (more: JsonObject) => ({
    reasoning_details: [{ index: 0, type: 'reasoning.text', ...more }],
  })
  const cases: readonly (readonly [
    name: string,
    chunks: readonly unknown[],
    parts: readonly unknown[],
  ])[] = [
    [
      'T1: comes before the text, whatever it is called',
      [chunk({ reasoning_content: 'a' }), chunk({ reasoning: 'b', content: '' }), textChunk('c')],
      [thought('ab'), said('c')],
    ],
    [
      'T10: with two names it is there once',
      [chunk({ reasoning_content: 'a', reasoning: 'a' })],
      [thought('a')],
    ],
    [
      'T10: with details of the same text it is there once, with its signature',
      [
        chunk({ reasoning: 'a', ...detail({ text: 'a' }) }),
        chunk({ reasoning: 'b', ...detail({ text: 'b' }) }),
        chunk(detail({ signature: 'sig' })),
        textChunk('c'),
      ],
      [thought('ab', { signature: 'sig' }), said('c')],
    ],
    [
      'T10: details that repeat the whole at the end add the signature only',
      [
        chunk({ reasoning_content: 'a' }),
        chunk({ reasoning_content: 'b' }),
        chunk(detail({ text: 'ab', signature: 'sig' })),
      ],
      [thought('ab', { signature: 'sig' })],
    ],
    [
      'T11: two stretches are two',
      [
        chunk(detail({ text: 'a', signature: 's1' })),
        chunk(detail({ text: 'b', index: 1 })),
        chunk(detail({ type: 'reasoning.encrypted', data: 's2', index: 1, id: 'rs_2' })),
        textChunk('c'),
      ],
      [thought('a', { signature: 's1' }), thought('b', { signature: 's2', id: 'rs_2' }), said('c')],
    ],
    [
      'T11: two stretches are two, also where the plain text stands beside them',
      [
        chunk({ reasoning: 'a', ...detail({ text: 'a' }) }),
        chunk({ reasoning: 'b', ...detail({ text: 'b', index: 1 }) }),
      ],
      [thought('a'), thought('b')],
    ],
    [
      'T11: what follows a signature is another stretch',
      [
        chunk(detail({ text: 'a', signature: 's1' })),
        chunk(detail({ text: 'b', signature: 's2' })),
      ],
      [thought('a', { signature: 's1' }), thought('b', { signature: 's2' })],
    ],
    [
      'a signature may come behind the text',
      [
        chunk({ reasoning_content: 'a' }),
        textChunk('b'),
        chunk(detail({ type: 'reasoning.encrypted', data: 'sig', format: 'tollgate' })),
      ],
      [thought('a'), said('b'), thought('', { signature: 'sig' })],
    ],
    [
      'Mistral has it among the parts of the content',
      [
        textChunk([{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }]),
        textChunk([
          { type: 'thinking', thinking: 'b' },
          { type: 'text', text: 'c' },
        ]),
        textChunk('d'),
      ],
      [thought('ab'), said('cd')],
    ],
    [
      'it may go on between text and calls',
      [
        chunk({ reasoning: 'a' }),
        textChunk('b'),
        chunk({ reasoning: 'c' }),
        calls(piece(0, 'x', 'f', '{}')),
        chunk({ reasoning: 'd' }),
      ],
      [thought('a'), said('b'), thought('c'), called('x', 'f', '{}'), thought('d')],
    ],
  ]
  for (const [name, chunks, parts] of cases) {
    test(name, () => expect((answer(...chunks, ending('stop')) as unknown[])[0]).toEqual(parts))
  }
})
