import { describe, expect, test } from 'bun:test'
import { responses } from '../../../src/protocols/responses/index.ts'

const { responses: create, compact, inputTokens } = responses.operations

describe('a responses request', () => {
  test.each<object>([
    { input: 'Hi' },
    { input: [{ role: 'user', content: 'Hi' }] },
    {
      input: [
        { type: 'item_reference', id: 'msg_1' },
        { type: 'reasoning', encrypted_content: 'x' },
      ],
    },
    { input: [{ type: 'function_call', arguments: '{}' }], previous_response_id: null },
    { previous_response_id: 'resp_1' },
    { conversation: { id: 'conv_1' } },
    { prompt: { id: 'pmpt_1' } },
    { input: 'x', stream: true, stream_options: { include_obfuscation: false } },
    { input: 'x', max_output_tokens: null, instructions: null, tools: [{ type: 'namespace' }] },
  ])('takes %j', (more) => {
    expect(create.check({ model: 'm', ...more })).toBeUndefined()
  })

  test.each<[object, string, string]>([
    [{ input: 'x' }, 'missing_parameter', 'model'],
    [{ model: 'm' }, 'missing_parameter', 'input'],
    [{ model: 'm', input: null }, 'missing_parameter', 'input'],
    [{ model: 'm', input: 5 }, 'invalid_value', 'input'],
    [{ model: 'm', input: [5] }, 'invalid_value', 'input[0]'],
    [
      { model: 'm', input: [{ role: 'user', content: [{ text: 'x' }] }] },
      'missing_parameter',
      'input[0].content[0].type',
    ],
    [{ model: 'm', input: 'x', max_output_tokens: 0 }, 'invalid_value', 'max_output_tokens'],
    [{ model: 'm', input: 'x', stream: 1 }, 'invalid_value', 'stream'],
    [{ model: 'm', input: 'x', stream_options: {} }, 'conflicting_parameters', 'stream_options'],
    [{ model: 'm', input: 'x', previous_response_id: 7 }, 'invalid_value', 'previous_response_id'],
    [{ model: 'm', input: 'x', instructions: 7 }, 'invalid_value', 'instructions'],
    [{ model: 'm', input: 'x', tools: 7 }, 'invalid_value', 'tools'],
  ])('refuses %j', (body, code, param) => {
    expect(create.check(body) as object).toMatchObject({ code, param })
  })

  test('tells what it builds on: an answer, a conversation, items by their id', () => {
    const continues = (rest: object) => create.read({ model: 'm', ...rest }).continues
    expect(continues({ previous_response_id: 'resp_1' })).toEqual(['resp_1'])
    expect(continues({ input: 'x', previous_response_id: null })).toEqual([])
    expect(continues({ conversation: { id: 'conv_1' } })).toEqual(['conv_1'])
    expect(continues({ conversation: 'conv_1' })).toEqual(['conv_1'])
    const input = [
      { type: 'item_reference', id: 'rs_1' },
      { role: 'user', content: 'x' },
    ]
    expect(continues({ input })).toEqual(['rs_1'])
  })

  test.each<[object]>([
    [{ type: 'item_reference', id: 'x' }],
    [{ type: 'item_reference', id: 'x', content: 'Hi', role: 'user' }],
    [{ id: 'x' }],
    [{ type: null, id: 'x' }],
    [{ id: 'x', status: 'completed', note: 'Hi' }],
    [{ id: 'x', content: 'Hi' }],
    [{ id: 'x', role: 'assistant', content: [] }],
    [{ type: 'message', role: 'assistant', id: 'x', content: [] }],
    [{ type: 'message', role: 'assistant', id: 'x' }],
    [{ type: 'reasoning', id: 'x', summary: [] }],
    [{ type: 'reasoning', id: 'x', summary: [], content: null, encrypted_content: '' }],
    [{ type: 'image_generation_call', id: 'x' }],
    [{ type: 'image_generation_call', id: 'x', status: 'completed', result: null, size: 'auto' }],
    [{ type: 'compaction', id: 'x', created_by: 'me' }],
    [{ type: 'code_interpreter_call', id: 'x', container_id: 'c', code: null, outputs: null }],
    [{ type: 'a_kind_to_come', id: 'x', status: 'completed', action: {} }],
  ])('%j is a reference: it has nothing of its own', (item) => {
    const { continues, wholeIds } = create.read({ model: 'm', input: [item] })
    expect({ continues, wholeIds }).toEqual({ continues: ['x'], wholeIds: [] })
    expect(create.read({ model: 'm', input: [item] }).hiddenWork?.()).toBe('some')
  })

  test.each<[object]>([
    [{ id: 'x', role: 'user', content: 'Hi' }],
    [{ type: 'message', id: 'x', role: 'assistant', content: [{ type: 'output_text', text: '' }] }],
    [{ type: 'reasoning', id: 'x', summary: [], encrypted_content: 'e' }],
    [{ type: 'reasoning', id: 'x', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
    [{ type: 'image_generation_call', id: 'x', result: 'aGk=' }],
    [{ type: 'function_call', id: 'x', call_id: 'c', name: 'f', arguments: '' }],
    [{ type: 'web_search_call', id: 'x', action: { type: 'search' } }],
    [{ type: 'a_kind_to_come', id: 'x', count: 0 }],
  ])('%j is sent whole', (item) => {
    const { continues, wholeIds } = create.read({ model: 'm', input: [item] })
    expect({ continues, wholeIds }).toEqual({ continues: [], wholeIds: ['x'] })
  })

  test('its text leaves encrypted reasoning and images out', () => {
    const input = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hi' },
          { type: 'input_image', image_url: 'data:x' },
        ],
      },
      {
        type: 'reasoning',
        encrypted_content: 'AAAA',
        summary: [{ type: 'summary_text', text: 'hm' }],
      },
    ]
    expect(create.read({ model: 'm', instructions: 'Be short.', input }).text()).toBe(
      'Be short.\nHi\nhm',
    )
  })

  test('its siblings have their own paths, and counting is free', () => {
    expect([create, compact, inputTokens].map((operation) => operation.path('m', false))).toEqual([
      '/responses',
      '/responses/compact',
      '/responses/input_tokens',
    ])
    expect([create, compact, inputTokens].map(({ charged }) => charged)).toEqual([
      true,
      true,
      false,
    ])
  })
})
