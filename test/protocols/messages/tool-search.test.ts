import { describe, expect, test } from 'bun:test'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { messagesCodec } from '../../../src/protocols/messages/index.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { responses } from '../../../src/protocols/responses/index.ts'

// What Claude Code sends: its ToolSearch answers with references, and from then on the tools stand in the
// list, sorted by name, with `defer_loading`.

const tool = (name: string, rest: object = {}) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: 'object', properties: {} },
  ...rest,
})
const late = (name: string) => tool(name, { defer_loading: true })
const use = (name: string, id: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input: {} }],
})
const found = (id: string, ...names: string[]) => ({
  role: 'user',
  content: [
    {
      type: 'tool_result',
      tool_use_id: id,
      content: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
    },
  ],
})
const question = { role: 'user', content: 'Go.' }

const decode = (body: object) =>
  messagesCodec.decodeRequest(
    { model: 'm', max_tokens: 9, messages: [question], ...body } as JsonObject,
    {
      model: 'm',
      stream: false,
    },
  )
const namesOf = (body: object) => decode(body).tools.map(({ name }) => name)

describe('tools that are held back', () => {
  const tools = [tool('Bash'), late('Fetch'), tool('Read'), late('Notebook'), late('Unused')]

  test('are not told before a result refers to them', () => {
    expect(namesOf({ tools })).toEqual(['Bash', 'Read'])
  })

  test('stand behind all others, in the order in which they were found', () => {
    const messages = [question, use('Search', 'c1'), found('c1', 'Notebook', 'Fetch')]
    expect(namesOf({ tools, messages })).toEqual(['Bash', 'Read', 'Notebook', 'Fetch'])
    const again = [...messages, use('Search', 'c2'), found('c2', 'Fetch', 'Unused', 'unknown')]
    expect(namesOf({ tools, messages: again })).toEqual([
      ...['Bash', 'Read', 'Notebook', 'Fetch', 'Unused'],
    ])
  })

  test('are told when they were called, or must be', () => {
    expect(namesOf({ tools, messages: [question, use('Fetch', 'c')] })).toContain('Fetch')
    expect(namesOf({ tools, tool_choice: { type: 'tool', name: 'Fetch' } })).toContain('Fetch')
  })

  test('a reference is text for the model', () => {
    const messages = [question, use('Search', 'c1'), found('c1', 'Notebook', 'Fetch')]
    expect(decode({ tools, messages }).turns[2]?.parts).toMatchObject([
      {
        type: 'tool-result',
        name: 'Search',
        parts: [
          { type: 'text', text: 'The tool "Notebook" can be called now.' },
          { type: 'text', text: 'The tool "Fetch" can be called now.' },
        ],
      },
    ])
    expect(decode({ tools, messages }).native.map(({ feature }) => feature)).toEqual(
      Array.from({ length: 3 }, () => 'deferred_tool'),
    )
  })

  test('a reference without a name is a fault', () => {
    const content = [{ type: 'tool_reference' }]
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] }
    expect(() => decode({ messages: [question, use('a', 'c'), result] })).toThrow(
      'messages[2].content[0].content[0].tool_name',
    )
  })

  test('one that is found changes nothing that was sent before it', () => {
    const first = [question, use('Search', 'c1'), found('c1', 'Notebook')]
    const next = [...first, use('Notebook', 'c2'), found('c2', 'Fetch')]
    for (const codec of [chatCodec, responses.codec, gemini.codec]) {
      const [before = '', after = ''] = [first, next].map((messages) => {
        const options = { model: 'm', quirks: new Set<never>(), defaultMaxOutputTokens: 9 }
        const { tools: list } = codec.encodeRequest(decode({ tools, messages }), options)
        return JSON.stringify(list).replace(/\]\}?\]?$/, '')
      })
      expect(after).toStartWith(before)
      expect(after.length).toBeGreaterThan(before.length)
    }
  })
})

describe('the search that the vendor was to run', () => {
  const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
  const tools = [search, tool('Bash'), late('Fetch')]

  test('is no tool here: all that it would search are told', () => {
    expect(namesOf({ tools })).toEqual(['Bash', 'Fetch'])
    expect(decode({ tools }).native).toEqual([
      { feature: 'hosted_tool', at: 'tools[0]' },
      { feature: 'deferred_tool', at: 'tools[2].defer_loading' },
    ])
  })

  test('what it found in earlier turns is left out and named', () => {
    const content = [
      { type: 'text', text: 'I search.' },
      { type: 'server_tool_use', id: 's', name: 'tool_search_tool_bm25', input: { query: 'x' } },
      {
        type: 'tool_search_tool_result',
        tool_use_id: 's',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: [{ type: 'tool_reference', tool_name: 'Fetch' }],
        },
      },
      { type: 'tool_use', id: 'c', name: 'Fetch', input: {} },
    ]
    const messages = [question, { role: 'assistant', content }]
    const { native, turns, tools: told } = decode({ tools: tools.slice(1), messages })
    expect(native.slice(0, 2)).toEqual([
      { feature: 'tool_search_item', at: 'messages[1].content[1]' },
      { feature: 'tool_search_item', at: 'messages[1].content[2]' },
    ])
    expect(turns[1]?.parts.map(({ type }) => type)).toEqual(['text', 'tool-call'])
    expect(told.map(({ name }) => name)).toEqual(['Bash', 'Fetch'])
  })
})
