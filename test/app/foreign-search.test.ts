import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { type Running, startServing } from './serving.ts'

// A web search that a client of one protocol asks for, run by the vendor of another: it is charged as
// that vendor bills it, and left out where it has no price, or nobody is known to run it.

let upstream: FakeUpstream
let app: Running
let answer: object
let events: readonly object[] = []

const keyOf = (group: string) => `sk-test-${group}-0123456789abcdefghij`
const bases = { responses: '/v1', messages: '', gemini: '' } as const
type Protocol = keyof typeof bases
const protocols = ['responses', 'messages', 'gemini'] as const

beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const isStream = request.path.includes('stream') || request.text().includes('"stream":true')
    const frames = events.map((one) => {
      const name = 'type' in one ? `event: ${one.type}\n` : ''
      return `${name}data: ${JSON.stringify(one)}\n\n`
    })
    return isStream ? sseAnswer(frames.join('')) : jsonAnswer(answer)
  })
  const channel = (name: string, protocol: Protocol, more: object = {}) => ({
    ...{ name, speaks: { [protocol]: `${upstream.url}${bases[protocol]}` } },
    ...{ api_key: 'k', models: ['test-model'], allow_private: true, ...more },
  })
  const quirks = { quirks: ['web_search'] }
  app = await startServing({
    upstream: upstream.url,
    prices: { 'test-model': { input: 1, output: 5 } },
    moreChannels: [
      ...protocols.map((name) => channel(name, name, quirks)),
      channel('relay', 'messages'),
      {
        ...{ name: 'always', speaks: { chat: `${upstream.url}/v1` }, api_key: 'k' },
        models: [{ id: 'test-model', upstream: 'gpt-4o-search-preview' }],
        allow_private: true,
      },
    ],
    moreGroups: [
      ...[...protocols, 'relay', 'always'].map((name) => ({ name, channels: [name] })),
      { name: 'careful', channels: ['messages'], tools: [] },
    ],
    moreAccounts: [
      {
        ...{ email: 'other@example.com', balance: 100 },
        tokens: [...protocols, 'relay', 'careful', 'always'].map((group) => ({
          ...{ name: group, group, key: keyOf(group) },
        })),
      },
    ],
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => upstream.clear())

const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  gemini: '/v1beta/models/test-model:generateContent',
} as const
const user = [{ role: 'user', content: 'hi' }]
const asking: { readonly [client in keyof typeof paths]: object } = {
  chat: { model: 'test-model', messages: user, web_search_options: {} },
  responses: { model: 'test-model', input: 'hi', tools: [{ type: 'web_search' }] },
  messages: {
    ...{ model: 'test-model', max_tokens: 100, messages: user },
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }],
  },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ googleSearch: {} }] },
}
const places = {
  ...{ chat: 'web_search_options', responses: 'tools[0]', messages: 'tools[0]' },
  gemini: 'tools[0].googleSearch',
}

/** What a request was charged, in nano-USD. */
async function amountOf(id: string): Promise<number | undefined> {
  const rows = await app.instance.store.records.receipt(id)
  return rows?.request.amountNano
}

async function ask(client: keyof typeof paths, group: string, more: object = {}, strict = false) {
  const headers = strict ? { 'x-tollgate-strict': 'true' } : undefined
  const came = await app.ask(paths[client], { ...asking[client], ...more }, keyOf(group), headers)
  const text = await came.text()
  const id = came.headers.get('x-request-id') ?? ''
  return {
    ...{ status: came.status, dropped: came.headers.get('x-tollgate-dropped'), text, id },
    sent: upstream.requests.at(-1)?.text() ?? '',
  }
}

const page = { url: 'https://a.example', title: 'A' }

/** Two searches, 1,000 LLM tokens in and 100 out, as each vendor tells of them. */
const answers: { readonly [protocol in Protocol]: object } = {
  responses: {
    ...{
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'test-model',
    },
    output: [
      ...['one', 'two'].map((query, index) => ({
        ...{ type: 'web_search_call', id: `ws_${index}`, status: 'completed' },
        action: { type: 'search', query, sources: [{ type: 'url', url: page.url }] },
      })),
      { type: 'web_search_call', id: 'ws_2', status: 'completed', action: { type: 'open_page' } },
      {
        ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text: 'hello', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
  },
  messages: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'test-model' },
    content: [
      ...['one', 'two'].flatMap((query, index) => [
        { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'web_search', input: { query } },
        {
          ...{ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${index}` },
          content: [{ type: 'web_search_result', ...page, encrypted_content: 'E', page_age: null }],
        },
      ]),
      { type: 'text', text: 'hello' },
    ],
    ...{ stop_reason: 'end_turn', stop_sequence: null },
    usage: {
      ...{ input_tokens: 1000, output_tokens: 100 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    },
  },
  gemini: {
    candidates: [
      {
        ...{
          content: { role: 'model', parts: [{ text: 'hello' }] },
          finishReason: 'STOP',
          index: 0,
        },
        groundingMetadata: {
          webSearchQueries: ['one', 'two'],
          groundingChunks: [{ web: { uri: page.url, title: page.title } }],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, totalTokenCount: 1100 },
    ...{ modelVersion: 'gemini-3-flash', responseId: 'r' },
  },
}
/** 1,500,000 for the text, and what two searches cost at each vendor. */
const costs = { responses: 21_500_000, messages: 21_500_000, gemini: 71_500_000 }

const ways = protocols.flatMap((on) =>
  (Object.keys(paths) as (keyof typeof paths)[])
    .filter((client) => client !== on)
    .map((client) => ({ client, on })),
)

describe.each(ways)('a search of a client of $client on $on', ({ client, on }) => {
  test('goes upstream, and is charged as its vendor bills it', async () => {
    answer = answers[on]
    const more =
      client === 'messages' && on === 'gemini'
        ? { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
        : {}
    const came = await ask(client, on, more)
    expect({ status: came.status, dropped: came.dropped }).toEqual({ status: 200, dropped: null })
    expect(came.sent).toMatch(/web_?search|googleSearch/)
    const native = await ask(on, on)
    expect([await amountOf(came.id), await amountOf(native.id)]).toEqual([costs[on], costs[on]])
  })

  test('is left out, and named, where the group does not allow it or nobody runs it', async () => {
    if (on !== 'messages') return
    answer = answers[on]
    for (const group of ['relay', 'careful']) {
      const fn = { function: { name: 'look', parameters: {} } }
      const optional =
        client === 'chat'
          ? { web_search_options: undefined, tools: [{ type: 'function', ...fn }] }
          : {}
      const came = await ask(client, group, optional)
      expect(came.status).toBe(200)
      if (client !== 'chat') expect(came.dropped).toContain(places[client])
      expect(came.sent).not.toMatch(/web_?search|googleSearch/)
      if (client === 'chat') expect(await ask(client, group)).toMatchObject({ status: 400 })
      else expect(await ask(client, group, {}, true)).toMatchObject({ status: 400 })
    }
  })
})

test('on a model of chat that always searches it is told where the user is, and charged once', async () => {
  answer = {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4o-search-preview' },
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
  }
  const place = { type: 'approximate', country: 'NL' }
  const tools = [{ type: 'web_search', user_location: place }]
  const { id, status, dropped, sent } = await ask('responses', 'always', { tools })
  expect({ status, dropped }).toEqual({ status: 200, dropped: null })
  expect(JSON.parse(sent).web_search_options).toEqual({
    user_location: { type: 'approximate', approximate: { country: 'NL' } },
  })
  expect(await amountOf(id)).toBe(26_500_000)
})

test('one that is forced is refused where nobody runs it, and forced where somebody does', async () => {
  answer = answers.messages
  const forced = { tool_choice: { type: 'web_search' } }
  expect(await ask('responses', 'relay', forced)).toMatchObject({ status: 400 })
  const { status, sent } = await ask('responses', 'messages', forced)
  expect(status).toBe(200)
  expect(JSON.parse(sent).tool_choice).toEqual({ type: 'tool', name: 'web_search' })
})

test('among allowed tools it is left out where nobody runs it, and the others stay allowed', async () => {
  answer = answers.messages
  const look = { type: 'function', name: 'look', parameters: {} }
  const tools = [{ type: 'web_search' }, look]
  const allowing = (...allowed: object[]) => ({
    ...{ tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } },
  })
  const chosen = { type: 'function', name: 'look' }
  const both = await ask('responses', 'relay', allowing({ type: 'web_search' }, chosen))
  expect(both).toMatchObject({ status: 200, dropped: 'tools[0], tool_choice.tools[0]' })
  expect(JSON.parse(both.sent).tools).toMatchObject([{ name: 'look' }])
  const alone = await ask('responses', 'relay', allowing({ type: 'web_search' }))
  expect(alone.status).toBe(200)
  expect(JSON.parse(alone.sent).tool_choice).toEqual({ type: 'none' })
})

test('a preview of the search is charged as the search that is run', async () => {
  answer = answers.messages
  const { id, sent } = await ask('responses', 'messages', {
    tools: [{ type: 'web_search_preview' }],
  })
  expect(sent).toContain('web_search_20250305')
  expect(await amountOf(id)).toBe(costs.messages)
})

test('a stream of it is charged like a whole answer', async () => {
  const { content, ...head } = answers.messages as { content: object[]; usage: object }
  events = [
    {
      type: 'message_start',
      message: { ...head, content: [], usage: { input_tokens: 1000, output_tokens: 1 } },
    },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: head.usage },
    { type: 'message_stop' },
  ]
  const { id, text } = await ask('responses', 'messages', { stream: true })
  expect(text).toContain('event: response.web_search_call.completed')
  expect(text).toContain('event: response.completed')
  expect(await amountOf(id)).toBe(costs.messages)
})

test('a large request is translated on another thread with its search, too', async () => {
  answer = answers.messages
  const input = Array.from({ length: 2_500 }, () => ({ role: 'user', content: 'hi' }))
  const { status, dropped, sent } = await ask('responses', 'messages', { input })
  expect({ status, dropped }).toEqual({ status: 200, dropped: null })
  expect(JSON.parse(sent).tools).toMatchObject([{ type: 'web_search_20250305' }])
})

test('what another vendor found goes to the client’s own vendor as text, without its marks', async () => {
  answer = answers.responses
  const came = await ask('messages', 'responses')
  const { content } = JSON.parse(came.text) as { content: readonly { type: string }[] }
  expect(content.map(({ type }) => type)).toEqual([
    ...['server_tool_use', 'web_search_tool_result', 'server_tool_use', 'web_search_tool_result'],
    'text',
  ])
  const cited = {
    ...{ type: 'text', text: 'Rain.' },
    citations: [
      {
        ...{ type: 'web_search_result_location', url: page.url, title: 'A', cited_text: '' },
        encrypted_index: 'tgs1.search',
      },
    ],
  }
  const own = [
    { type: 'server_tool_use', id: 'srvtoolu_9', name: 'web_search', input: { query: 'own' } },
    {
      ...{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_9' },
      content: [{ type: 'web_search_result', ...page, encrypted_content: 'E', page_age: null }],
    },
  ]
  const messages = [
    ...user,
    { role: 'assistant', content: [...content, cited, ...own] },
    { role: 'user', content: 'go on' },
  ]
  answer = answers.messages
  const { status, sent, dropped } = await ask('messages', 'messages', { messages })
  expect(status).toBe(200)
  expect(sent).not.toContain('tgs1')
  expect(dropped).toContain('messages[1].content[0]')
  const found = (query: string) => ({
    ...{ type: 'text', text: `<web_search>\nQuery: ${query}\n- ${page.url}\n</web_search>` },
  })
  expect(JSON.parse(sent).messages[1].content).toEqual([
    ...[found('one'), found('two'), { type: 'text', text: 'hello' }],
    ...[{ type: 'text', text: 'Rain.' }, ...own],
  ])
  answer = answers.gemini
  const elsewhere = await ask('messages', 'gemini', { messages, tools: undefined })
  expect(elsewhere.status).toBe(200)
  expect(elsewhere.sent).not.toContain('tgs1')
})
