import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Dialect, dialects, wholeStream } from '../e2e/dialects.ts'
import { dialectOf, wantsStream } from '../e2e/translated.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { type Running, startServing } from './serving.ts'

// Nothing goes upstream that has no price: other models, tiers, kinds of answers, and the vendors' own
// tools are priced, left out by name, or refused.

let upstream: FakeUpstream
let app: Running
const keyOf = (group: string) => `sk-test-${group}-0123456789abcdefghij`
const groups = {
  some: { tools: ['code_execution'] },
  none: { tools: [] },
}
const tokens = { input: 10, output: 5 }

beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const dialect = dialectOf(request)
    const answer = wantsStream(request)
      ? sseAnswer(wholeStream(dialect, tokens, ['Yes.']))
      : jsonAnswer({ ...dialect.body(tokens), ...said })
    for (const [name, value] of Object.entries(saidInHead)) answer.headers.set(name, value)
    return answer
  })
  const searching = { id: 'searching-model', upstream: 'gpt-4o-search-preview' }
  const models = ['test-model', 'cheap-model', 'dear-model', searching]
  app = await startServing({
    upstream: upstream.url,
    models,
    prices: {
      'cheap-model': { input: 1, output: 1 },
      'dear-model': { input: 1, output: 3 },
      'searching-model': { input: 1, output: 2 },
    },
    moreChannels: [
      {
        name: 'foreign',
        speaks: { chat: `${upstream.url}/v1` },
        ...{ api_key: 'k', models: ['test-model'], allow_private: true },
      },
    ],
    moreGroups: [
      ...Object.entries(groups).map(([name, more]) => ({ name, channels: ['main'], ...more })),
      { name: 'foreign', channels: ['foreign'] },
    ],
    moreAccounts: [
      {
        ...{ email: 'other@example.com', balance: 100 },
        tokens: [
          ...[...Object.keys(groups), 'foreign'].map((group) => ({
            ...{ name: group, group, key: keyOf(group) },
          })),
          { name: 'one', group: 'default', key: keyOf('one'), models: ['test-model'] },
        ],
      },
    ],
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => {
  upstream.clear()
  said = {}
  saidInHead = {}
})

interface Asked {
  readonly key?: string
  readonly strict?: boolean
  readonly stream?: boolean
}

/** What the next answers say beside what all of them do. */
let said: object = {}
/** Headers of theirs. */
let saidInHead: Readonly<Record<string, string>> = {}

/** Asks with fields beside a plain request; tells what came of it, and what went upstream. */
async function ask(
  name: Dialect['name'],
  fields: object,
  { key, strict, stream = false }: Asked = {},
) {
  const dialect = dialects[name]
  const body = { ...dialect.request(stream), ...fields }
  const more = strict ? { 'x-tollgate-strict': 'true' } : undefined
  const answer = await app.ask(dialect.path(stream), body, key, more)
  const text = await answer.text()
  return {
    status: answer.status,
    dropped: answer.headers.get('x-tollgate-dropped'),
    text,
    sent: upstream.requests.at(-1)?.text(),
    requestId: answer.headers.get('x-request-id') ?? '',
  }
}

const fn = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }

/** Optional tools by protocol: one that Google, OpenAI and Anthropic bill, and one of the client's. */
const hosted = {
  chat: {
    tools: [{ type: 'openrouter:web_search' }, { type: 'function', function: { name: 'look' } }],
  },
  responses: { tools: [{ type: 'web_search' }, fn] },
  messages: {
    tools: [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'look', input_schema: {} },
    ],
  },
  gemini: { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'look' }] }] },
} as const
const places = { chat: 'tools[0]', responses: 'tools[0]', messages: 'tools[0]', gemini: 'tools[0]' }
const forced = {
  chat: { web_search_options: {} },
  responses: { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } },
  messages: {
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'tool', name: 'web_search' },
  },
} as const
const names = ['chat', 'responses', 'messages', 'gemini'] as const

describe.each(names)('a tool that the vendor runs, asked for in %s,', (name) => {
  test.each([false, true])(
    'goes upstream as it was written, with a price (stream: %p)',
    async (stream) => {
      const { status, dropped, sent } = await ask(name, hosted[name], { stream })
      expect({ status, dropped }).toEqual({ status: 200, dropped: null })
      expect(sent).toContain(JSON.stringify(hosted[name].tools))
    },
  )

  test.each([false, true])(
    'is left out alone, and named, where the group does not allow it (stream: %p)',
    async (stream) => {
      const {
        status,
        dropped,
        sent = '',
      } = await ask(name, hosted[name], { key: keyOf('some'), stream })
      expect(status).toBe(200)
      expect(dropped).toStartWith(places[name])
      const [, kept] = hosted[name].tools
      expect(JSON.parse(sent).tools).toEqual([kept])
    },
  )

  test('takes its list along, and what is said of tools, when no other is left', async () => {
    const fields = { tools: [hosted[name].tools[0]], tool_choice: { type: 'auto' } }
    const { status, sent = '' } = await ask(name, fields, { key: keyOf('none') })
    expect(status).toBe(200)
    expect(JSON.parse(sent)).not.toHaveProperty('tools')
    expect(JSON.parse(sent)).not.toHaveProperty('tool_choice')
  })

  test('is refused by name where nothing may be left out', async () => {
    const { status, text, sent } = await ask(name, hosted[name], {
      key: keyOf('none'),
      strict: true,
    })
    expect(status).toBe(400)
    expect(text).toContain(places[name])
    expect(sent).toBeUndefined()
  })
})

describe.each(['chat', 'responses', 'messages'] as const)(
  'a tool that a request of %s forces',
  (name) => {
    test('is refused by name where it is not allowed, and passes where it is', async () => {
      const { status, text, sent } = await ask(name, forced[name], { key: keyOf('some') })
      expect(status).toBe(400)
      expect(text).toContain('web_search')
      expect(text).toContain('\\"some\\"')
      expect(sent).toBeUndefined()
      expect(await ask(name, forced[name])).toMatchObject({ status: 200, dropped: null })
    })
  },
)

describe('a tool on a channel of another protocol', () => {
  test.each(['responses', 'messages', 'gemini'] as const)(
    'asked for in %s is left out, and named',
    async (name) => {
      const {
        status,
        dropped,
        sent = '',
      } = await ask(name, hosted[name], { key: keyOf('foreign') })
      expect(status).toBe(200)
      expect(dropped).toContain(places[name])
      expect(JSON.parse(sent).tools).toHaveLength(1)
      expect(sent).not.toContain('earch')
    },
  )

  test('leaves nothing behind when there was no other (as Cline asks)', async () => {
    const tools = [{ type: 'web_search' }, { type: 'image_generation' }]
    const fields = { tools, tool_choice: 'auto', truncation: 'auto' }
    const { status, dropped, sent = '' } = await ask('responses', fields, { key: keyOf('foreign') })
    expect(status).toBe(200)
    expect(dropped).toContain('tools[0], tools[1]')
    expect(Object.keys(JSON.parse(sent))).not.toContain('tools')
    expect(Object.keys(JSON.parse(sent))).not.toContain('tool_choice')
  })

  test('is refused where it is forced', async () => {
    const { status } = await ask('responses', forced.responses, { key: keyOf('foreign') })
    expect(status).toBe(400)
  })
})

describe('A5: a tool of a kind that nobody knows', () => {
  test('or one that asks another model, has no price: it is left out', async () => {
    const tools = [
      { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' },
      ...hosted.messages.tools,
    ]
    const { dropped, sent = '' } = await ask('messages', { tools })
    expect(dropped).toBe('tools[0]')
    expect(JSON.parse(sent).tools).toEqual(hosted.messages.tools)
    const painting = [
      { type: 'image_generation', model: 'gpt-image-dear' },
      { type: 'new_tool' },
      fn,
    ]
    const painted = await ask('responses', { tools: painting })
    expect(painted.dropped).toBe('tools[0], tools[1]')
  })
})

describe('a tool that is of several kinds', () => {
  const look = { name: 'look', parameters: { type: 'object' } }

  test.each([
    ['chat', { url_context: {}, google_search: {} }],
    ['chat', { google_search: {}, url_context: {} }],
    ['chat', { function: look, google_search: {} }],
    ['chat', { type: 'function', function: look, web_search: {} }],
    ['chat', { type: 'url_context', web_search: {} }],
    ['responses', { ...fn, web_search: {} }],
    ['responses', { type: 'web_search', image_generation: {} }],
  ] as const)('of %s has no price, and is left out: %j', async (name, tool) => {
    const { dropped, sent = '' } = await ask(name, { tools: [...hosted[name].tools, tool] })
    expect(dropped).toBe('tools[2]')
    expect(JSON.parse(sent).tools).toEqual([...hosted[name].tools])
  })

  test('but not where it only says more of its own', async () => {
    const tools = [
      { type: 'web_search', web_search: { enable: true }, user_location: {} },
      { type: 'mcp', mcp_options: {}, server_url: 'https://mcp.example' },
      { google_search: {} },
    ]
    expect(await ask('chat', { tools })).toMatchObject({ status: 200, dropped: null })
  })
})

describe('A5: a name that some upstream would read as another', () => {
  test.each([
    [{ Tools: [{ type: 'web_search' }] }, 'tools'],
    [{ '\u017fervice_tier': 'priority' }, 'service_tier'],
    [{ MODELS: ['dear-model'] }, 'models'],
    [{ 'fallbac\u212as': ['dear-model'] }, 'fallbacks'],
  ])('%j is refused', async (fields, known) => {
    const { status, text, sent } = await ask('chat', fields)
    expect(status).toBe(400)
    expect(text).toContain(known)
    expect(sent).toBeUndefined()
  })

  test.each([
    ['tools[0].Type', 'responses', { tools: [{ ...fn, Type: 'web_search' }, fn] }],
    ['serviceTier', 'gemini', { serviceTier: 'standard', service_tier: 'priority' }],
    [
      'generationConfig',
      'gemini',
      { generationConfig: {}, generation_config: { responseModalities: ['AUDIO'] } },
    ],
    [
      'generationConfig.response_modalities',
      'gemini',
      { generationConfig: { responseModalities: ['TEXT'], response_modalities: ['AUDIO'] } },
    ],
  ] as const)('%s is refused', async (at, name, fields) => {
    const { status, text, sent } = await ask(name, fields)
    expect(status).toBe(400)
    expect(text).toContain(at)
    expect(sent).toBeUndefined()
  })
})

describe('a field that nobody here looks into', () => {
  test.each([
    ['extra_body', 'chat', { extra_body: { service_tier: 'priority', n: 8 } }],
    ['extra_body', 'chat', { extra_body: { google: { cached_content: 'cachedContents/1' } } }],
    ['extra_body', 'responses', { extra_body: { stream: true } }],
    ['extra_headers', 'messages', { extra_headers: { 'anthropic-beta': 'context-1m-2025-08-07' } }],
    ['extra_query', 'gemini', { extra_query: { key: 'x' } }],
    ['Extra_Body', 'chat', { Extra_Body: { n: 8 } }],
    ['extraBody', 'chat', { extraBody: { n: 8 } }],
    ['deferred', 'chat', { deferred: true }],
    ['deferred', 'chat', { deferred: 'yes' }],
  ] as const)(
    'is refused by name where it asks for something: %s of %s',
    async (at, name, fields) => {
      const { status, text, sent } = await ask(name, fields)
      expect(status).toBe(400)
      expect(text).toContain(at)
      expect(sent).toBeUndefined()
    },
  )

  test.each([
    [{ extra_body: {} }],
    [{ extra_body: null, extra_headers: {}, deferred: false }],
    // Google's own words for its models, in OpenAI's protocol.
    [{ extra_body: { google: { thinking_config: { include_thoughts: true } } } }],
  ])('passes where it asks for nothing that is billed: %j', async (fields) => {
    expect(await ask('chat', fields)).toMatchObject({ status: 200, dropped: null })
  })
})

describe('A5: a field that names another model', () => {
  const cases: readonly (readonly [at: string, name: Dialect['name'], fields: object])[] = [
    ['models', 'chat', { models: ['test-model', 'dear-model'] }],
    ['models', 'chat', { models: ['unknown-model'] }],
    ['route', 'chat', { route: 'fallback' }],
    ['preset', 'chat', { preset: 'best' }],
    ['fallbacks', 'chat', { fallbacks: [{ model: 'dear-model' }] }],
    ['provider.models', 'chat', { provider: { models: ['dear-model'] } }],
    ['vendor_bag.fallback_models', 'chat', { vendor_bag: { fallback_models: ['dear-model'] } }],
    ['compound_custom.models', 'chat', { compound_custom: { models: { reasoning_model: 'x' } } }],
    ['moderation.model', 'responses', { moderation: { model: 'dear-model' } }],
    ['fallbacks', 'messages', { fallbacks: 'default' }],
    ['fallbacks', 'messages', { fallbacks: [{ model: 'cheap-model', speed: 'fast' }] }],
    [
      'generationConfig.routingConfig',
      'gemini',
      { generationConfig: { routingConfig: { autoMode: {} } } },
    ],
  ]
  test.each(cases)('%s (%s) is refused by its name', async (at, name, fields) => {
    const { status, text, sent } = await ask(name, fields)
    expect(status).toBe(400)
    expect(text).toContain(at)
    expect(sent).toBeUndefined()
  })

  test('passes when that one is sold here, by the same channel, and not dearer', async () => {
    const fields = { models: ['test-model', 'cheap-model'] }
    expect(await ask('chat', fields)).toMatchObject({ status: 200, dropped: null })
    const free = { moderation: { model: 'omni-moderation-latest' } }
    expect(await ask('responses', free)).toMatchObject({ status: 200, dropped: null })
  })

  test('is 403 where the key may not use it', async () => {
    const { status, text } = await ask('chat', { models: ['cheap-model'] }, { key: keyOf('one') })
    expect(status).toBe(403)
    expect(text).toContain('models: this key may not use the model')
  })

  test('is none where it is the client’s own: in messages, schemas and arguments', async () => {
    const schema = { type: 'object', properties: { model: { type: 'string' }, models: {} } }
    const fields = {
      tools: [
        { type: 'function', function: { name: 'look', parameters: { models: ['x'], ...schema } } },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { ...schema, route: 'x' } },
      },
      metadata: { model: 'x' },
    }
    expect(await ask('chat', fields)).toMatchObject({ status: 200, dropped: null })
  })

  test('of a seller is left out: their prices differ', async () => {
    const provider = { order: ['dear'], data_collection: 'deny' }
    const { status, dropped, sent = '' } = await ask('chat', { provider })
    expect({ status, dropped }).toEqual({ status: 200, dropped: 'provider.order' })
    expect(JSON.parse(sent).provider).toEqual({ data_collection: 'deny' })
  })
})

describe('A5: a service tier', () => {
  const unpriced: readonly (readonly [at: string, name: Dialect['name'], fields: object])[] = [
    ['service_tier', 'chat', { service_tier: 'ultrafast' }],
    ['service_tier', 'responses', { service_tier: 'scale' }],
    ['inference_geo', 'messages', { inference_geo: 'mars' }],
    ['service_tier', 'gemini', { service_tier: 'express' }],
  ]
  test.each(unpriced)(
    '%s of %s without a price is refused by its name',
    async (at, name, fields) => {
      const { status, text, sent } = await ask(name, fields)
      expect(status).toBe(400)
      expect(text).toContain(at)
      expect(sent).toBeUndefined()
    },
  )

  const priced: readonly (readonly [name: Dialect['name'], fields: object])[] = [
    ['chat', { service_tier: 'priority' }],
    ['chat', { service_tier: 'on_demand' }],
    ['responses', { service_tier: 'flex' }],
    ['responses', { service_tier: 'auto' }],
    ['messages', { speed: 'fast', service_tier: 'standard_only' }],
    ['messages', { inference_geo: 'us' }],
    ['gemini', { serviceTier: 'priority' }],
  ]
  test.each(priced)('of %s with a price, or none at all, passes: %j', async (name, fields) => {
    expect(await ask(name, fields)).toMatchObject({ status: 200, dropped: null })
  })
})

describe('answers in sound or images', () => {
  test.each([
    ['modalities[1]', 'chat', { modalities: ['text', 'audio'], audio: { voice: 'a' } }],
    [
      'generationConfig.responseModalities[0]',
      'gemini',
      { generationConfig: { responseModalities: ['IMAGE'] } },
    ],
    [
      'generation_config.response_modalities[0]',
      'gemini',
      { generation_config: { response_modalities: ['AUDIO'] } },
    ],
    // What some readers take for the same.
    [
      'generationConfig.responseModalities',
      'gemini',
      { generationConfig: { responseModalities: 'AUDIO' } },
    ],
    [
      'generationConfig.responseModalities[0]',
      'gemini',
      { generationConfig: { responseModalities: [3] } },
    ],
  ] as const)(
    '%s are refused by name of a model that has no price for them',
    async (at, name, fields) => {
      const { status, text, sent } = await ask(name, fields)
      expect(status).toBe(400)
      expect(text).toContain(at)
      expect(sent).toBeUndefined()
    },
  )

  test('are text by another name', async () => {
    expect(await ask('chat', { modalities: ['text'] })).toMatchObject({ status: 200 })
  })
})

describe('where an answer is silent', () => {
  /** What was charged: 10 in and 5 out are 20,000 nano-USD. */
  async function charged(name: Dialect['name'], fields: object, more: object = {}, stream = false) {
    said = more
    const { requestId } = await ask(name, fields, { stream })
    const found = await app.instance.store.records.receipt(requestId)
    return found?.request.amountNano
  }

  test('the dearer tier that was asked for is charged; what it says stands', async () => {
    expect(await charged('chat', { service_tier: 'priority' })).toBe(40_000)
    expect(await charged('chat', { service_tier: 'priority' }, { service_tier: 'default' })).toBe(
      20_000,
    )
    expect(await charged('chat', { service_tier: 'auto' }, { service_tier: 'priority' })).toBe(
      40_000,
    )
    expect(await charged('responses', { service_tier: 'flex' })).toBe(20_000)
    expect(await charged('messages', { speed: 'fast' })).toBe(120_000)
    const usage = { input_tokens: 10, output_tokens: 5, speed: 'standard' }
    expect(await charged('messages', { speed: 'fast' }, { usage })).toBe(20_000)
    expect(await charged('messages', { speed: 'fast', inference_geo: 'us' }, { usage })).toBe(
      22_000,
    )
    expect(await charged('gemini', { serviceTier: 'priority' })).toBe(36_000)
    expect(await charged('gemini', { serviceTier: 'SERVICE_TIER_PRIORITY' })).toBe(36_000)
  })

  test('Gemini names its tier in two ways, and in a header', async () => {
    const counts = { promptTokenCount: 10, candidatesTokenCount: 5 }
    const told = (serviceTier: string) => ({ usageMetadata: { ...counts, serviceTier } })
    const asked = { serviceTier: 'priority' }
    expect(await charged('gemini', {}, told('SERVICE_TIER_PRIORITY'))).toBe(36_000)
    expect(await charged('gemini', asked, told('SERVICE_TIER_STANDARD'))).toBe(20_000)
    saidInHead = { 'x-gemini-service-tier': 'standard' }
    expect(await charged('gemini', asked)).toBe(20_000)
    saidInHead = { 'x-gemini-service-tier': 'priority' }
    expect(await charged('gemini', asked)).toBe(36_000)
    expect(await charged('gemini', asked, {}, true)).toBe(36_000)
    saidInHead = { 'x-gemini-service-tier': 'standard' }
    expect(await charged('gemini', asked, {}, true)).toBe(20_000)
  })

  test('a search that is made for each answer is charged once', async () => {
    expect(await charged('chat', { web_search_options: {} })).toBe(10_020_000)
    // Alibaba's answers say nothing of theirs.
    expect(await charged('chat', { enable_search: true })).toBe(10_020_000)
    expect(await charged('chat', { enable_search: 'true' })).toBe(10_020_000)
    expect(await charged('chat', { web_search: { enable: true } })).toBe(10_020_000)
    expect(await charged('chat', { web_search: { enable: false }, enable_search: false })).toBe(
      20_000,
    )
    // One that may be made, but was not, costs nothing.
    expect(await charged('responses', { tools: [{ type: 'web_search' }] })).toBe(20_000)
  })

  test('a model that always searches is charged for it, whoever asks for a search', async () => {
    const model = 'searching-model'
    expect(await charged('chat', { model })).toBe(25_020_000)
    expect(await charged('chat', { model, web_search_options: {} })).toBe(25_020_000)
    expect(await charged('chat', { model }, {}, true)).toBe(25_020_000)
    // What was left out was not made.
    said = {}
    const group = { key: keyOf('none') }
    const left = await ask('chat', { enable_search: true }, group)
    expect(left.dropped).toBe('enable_search')
    const found = await app.instance.store.records.receipt(left.requestId)
    expect(found?.request.amountNano).toBe(20_000)
    // Nobody can leave that out: where no tools are allowed there is no such model.
    const { status, text } = await ask('chat', { model }, group)
    expect([status, text.includes('web_search')]).toEqual([400, true])
  })

  test('a search whose finds the answer lists is charged', async () => {
    const tools = [{ type: 'web_search', web_search: { search_engine: 'search_pro' } }]
    expect(await charged('chat', { tools })).toBe(20_000)
    const found = { web_search: [{ title: 'a', link: 'https://a.example' }] }
    expect(await charged('chat', { tools }, found)).toBe(10_020_000)
  })

  test('the searches of a stream that broke off before its report are charged', async () => {
    const search = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search' },
    }
    const events = [
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item: search },
    ]
    upstream.handle(() =>
      sseAnswer(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')),
    )
    const { requestId } = await ask('responses', hosted.responses, { stream: true })
    const found = await app.instance.store.records.receipt(requestId)
    expect(JSON.parse(found?.request.extrasJson ?? '{}')).toMatchObject({
      tools: { web_search: 1 },
    })
    expect(found?.request.amountNano).toBeGreaterThan(10_000_000)
  })
})
