import { describe, expect, test } from 'bun:test'
import { decodeRequest } from '../../../src/gateway/translate/translation.ts'
import type { JsonObject, ProtocolName } from '../../../src/protocols/protocol.ts'
import { fit } from './fitting.ts'
import { optionsFor, overTheWire, protocols } from './pairs.ts'

/** A web search that is asked for in the words of one vendor, in those of another; and what is told of earlier ones. */

const query = 'weather in Utrecht'
const page = { url: 'https://weather.example/utrecht', title: 'Utrecht today' }
const said = 'It is raining.'

const place = { city: 'Utrecht', country: 'NL', timezone: 'Europe/Amsterdam' }
const hello = { chat: { messages: [{ role: 'user', content: 'Hi' }] } } as const

/** A request of each protocol that asks for a search in all the ways that it knows. */
const asking: { readonly [client in ProtocolName]: JsonObject } = {
  chat: {
    ...hello.chat,
    web_search_options: {
      ...{ user_location: { type: 'approximate', approximate: place } },
      search_context_size: 'low',
    },
  },
  responses: {
    ...{ input: 'Hi', max_tool_calls: 3, include: ['web_search_call.action.sources'] },
    tools: [
      {
        ...{ type: 'web_search', filters: { allowed_domains: ['a.example'] } },
        ...{ user_location: { type: 'approximate', ...place }, search_context_size: 'low' },
        external_web_access: true,
      },
    ],
  },
  messages: {
    ...{ ...hello.chat, max_tokens: 99 },
    tools: [
      {
        ...{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
        ...{ allowed_domains: ['a.example'], blocked_domains: null },
        user_location: { type: 'approximate', ...place },
      },
    ],
  },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], tools: [{ google_search: {} }] },
}

/** Takes a request to an upstream that runs searches. */
function send(client: ProtocolName, upstream: ProtocolName, more: JsonObject = {}, strict = false) {
  const body = { model: 'm', ...asking[client], ...more }
  const decoded = decodeRequest(
    protocols[client],
    { bytes: Buffer.from('{}'), value: () => body, facts: { stream: false } },
    'm',
  )
  const { codec } = protocols[upstream]
  const target = { protocol: upstream, quirks: new Set<never>(), ...codec, webSearch: true }
  const optional = new Set(['tools[0]', 'tools[0].google_search', 'web_search_options'])
  const { request, dropped } = fit(decoded, client, target, strict, optional)
  return { body: overTheWire(codec.encodeRequest(request, optionsFor(upstream))), dropped }
}

describe('a search that is asked for', () => {
  test('by responses is the tool of messages, with its limits', () => {
    const { body, dropped } = send('responses', 'messages')
    expect(body.tools).toEqual([
      {
        ...{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
        ...{ allowed_domains: ['a.example'], user_location: { type: 'approximate', ...place } },
      },
    ])
    expect(dropped).toEqual(['tools[0].search_context_size'])
  })

  test('in what its vendor has cached is no search of the open web at another', () => {
    const tools = [{ type: 'web_search', external_web_access: false }]
    for (const upstream of ['messages', 'gemini'] as const) {
      const { body, dropped } = send('responses', upstream, { tools })
      expect(body.tools).toBeUndefined()
      expect(dropped).toContain('tools[0]')
    }
  })

  test('by messages is the tool of responses, with its limits and the pages that it finds', () => {
    const { body, dropped } = send('messages', 'responses')
    expect(body).toMatchObject({
      tools: [
        {
          ...{ type: 'web_search', filters: { allowed_domains: ['a.example'] } },
          user_location: { type: 'approximate', ...place },
        },
      ],
      ...{ max_tool_calls: 3, include: ['web_search_call.action.sources'] },
    })
    expect(dropped).toEqual([])
  })

  test('by gemini and chat is the tool of the others', () => {
    for (const client of ['gemini', 'chat'] as const) {
      expect(send(client, 'messages').body.tools).toMatchObject([{ name: 'web_search' }])
      expect(send(client, 'responses').body.tools).toMatchObject([{ type: 'web_search' }])
    }
    expect(send('chat', 'gemini')).toMatchObject({
      body: { tools: [{ googleSearch: {} }] },
      dropped: ['web_search_options.user_location', 'web_search_options.search_context_size'],
    })
  })

  test('beside limits of domains or functions is left out where the vendor can’t take both', () => {
    expect(send('responses', 'gemini')).toMatchObject({
      dropped: expect.arrayContaining(['tools[0]']),
    })
    expect(send('responses', 'gemini').body.tools).toBeUndefined()
    const fn = { functionDeclarations: [{ name: 'look' }] }
    const both = { tools: [{ google_search: {} }, fn] }
    expect(send('gemini', 'messages', both).body.tools).toMatchObject([
      { name: 'web_search' },
      { name: 'look' },
    ])
    const look = { type: 'function', name: 'look', parameters: {} }
    const tools = [{ type: 'web_search' }, look]
    const left = send('responses', 'gemini', { tools, max_tool_calls: null })
    expect(left.dropped).toContain('tools[0]')
    expect(left.body.tools).toMatchObject([{ functionDeclarations: [{ name: 'look' }] }])
    const blocked = {
      type: 'web_search_20260209',
      name: 'web_search',
      blocked_domains: ['b.example'],
    }
    expect(send('messages', 'responses', { tools: [blocked] }).dropped).toEqual(['tools[0]'])
    const effort = { reasoning: { effort: 'minimal' } }
    expect(send('messages', 'responses', effort).body.tools).toMatchObject([{ type: 'web_search' }])
  })

  test('by force is forced, where the vendor has a word for it', () => {
    const chosen = { tool_choice: { type: 'tool', name: 'web_search' } }
    expect(send('messages', 'responses', chosen).body.tool_choice).toEqual({ type: 'web_search' })
    const typed = { tool_choice: { type: 'web_search' } }
    expect(send('responses', 'messages', typed).body.tool_choice).toEqual({
      ...{ type: 'tool', name: 'web_search' },
    })
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    const onGemini = send('messages', 'gemini', { ...chosen, tools })
    expect(onGemini).toMatchObject({
      body: { tools: [{ googleSearch: {} }] },
      dropped: ['tool_choice'],
    })
    expect(() => send('messages', 'gemini', { ...chosen, tools }, true)).toThrow('tool_choice')
  })

  test('T14: among allowed tools is one of them, and else is not offered', () => {
    const look = { type: 'function', name: 'look', parameters: {} }
    const tools = [{ type: 'web_search' }, look]
    const allowing = (...allowed: JsonObject[]) => ({
      ...{ tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } },
    })
    const both = send('responses', 'messages', allowing({ type: 'web_search' }))
    expect(both.body.tools).toMatchObject([{ name: 'web_search' }])
    const one = send('responses', 'messages', allowing({ type: 'function', name: 'look' }))
    expect(one.body.tools).toMatchObject([{ name: 'look' }])
  })

  test('beside a function of its name on messages is left out', () => {
    const fn = { type: 'function', name: 'web_search', parameters: {} }
    const { body, dropped } = send('responses', 'messages', { tools: [{ type: 'web_search' }, fn] })
    expect(body.tools).toHaveLength(1)
    expect(dropped).toContain('tools[0]')
  })
})

describe('a search in an earlier turn', () => {
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query } }
  const result = {
    ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1' },
    content: [{ type: 'web_search_result', ...page, encrypted_content: 'E', page_age: null }],
  }
  const cited = { type: 'text', text: said, citations: [] }
  const messages = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: [use, result, cited] },
    { role: 'user', content: 'And tomorrow?' },
  ]
  const found = `<web_search>\nQuery: ${query}\n- ${page.title}: ${page.url}\n</web_search>`

  test('of messages is told to all others as text before the answer, and is not lost', () => {
    const body = { messages, tools: null }
    for (const upstream of ['chat', 'responses', 'gemini'] as const) {
      const sent = send('messages', upstream, body)
      expect(sent.dropped).toEqual([])
      const text = JSON.stringify(sent.body)
      expect(text).toContain(JSON.stringify(found).slice(1, -1))
      expect(text.indexOf('<web_search>')).toBeLessThan(text.indexOf(said))
    }
  })

  test('of responses is told where it says what it found, and else is named', () => {
    const call = (sources: unknown) => ({
      ...{ type: 'web_search_call', id: 'ws_1', status: 'completed' },
      action: { type: 'search', query, ...(sources ? { sources } : {}) },
    })
    const input = (sources?: unknown) => [
      { role: 'user', content: 'Weather?' },
      { type: 'reasoning', summary: [], encrypted_content: 'x' },
      call(sources),
      { role: 'assistant', content: [{ type: 'output_text', text: said }] },
      { role: 'user', content: 'And tomorrow?' },
    ]
    const told = send('responses', 'messages', {
      input: input([{ type: 'url', url: page.url }]),
      tools: [],
    })
    expect(JSON.stringify(told.body)).toContain(`<web_search>\\nQuery: ${query}\\n- ${page.url}`)
    expect(told.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ])
    const plain = { tools: [], max_tool_calls: null, include: [] }
    const silent = send('responses', 'messages', { input: input(), ...plain })
    expect(silent.dropped).toContain('input[2]')
    expect(() => send('responses', 'messages', { input: input(), ...plain }, true)).toThrow(
      'input[2]',
    )
  })

  test('other tools that the vendor has run are left out and named', () => {
    const items = [
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AA' },
      { type: 'mcp_call', id: 'mcp_1', name: 'x', arguments: '{}', server_label: 's' },
    ]
    const input = [{ role: 'user', content: 'Hi' }, ...items, { role: 'user', content: 'Go on' }]
    for (const upstream of ['chat', 'messages', 'gemini'] as const) {
      const { dropped } = send('responses', upstream, { input, tools: [] })
      expect(dropped).toEqual(expect.arrayContaining(['input[1]', 'input[2]']))
    }
  })
})
