import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Dialect, dialects, wholeStream } from '../e2e/dialects.ts'
import { dialectOf, keyOn, spoken, violations, wantsStream } from '../e2e/translated.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { speaksAt, upstreamKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// What a channel's vendor has no field for, and its model can be told: agents keep their settings.

let upstream: FakeUpstream
let app: Running
const pairKey = 'sk-test-pair-0123456789abcdefghij'
/** The texts of the next answers. */
let said: readonly string[] = ['Yes.']
const tokens = { input: 10, output: 5 }

beforeAll(async () => {
  upstream = startFakeUpstream((request) => {
    const dialect = dialectOf(request)
    return wantsStream(request)
      ? sseAnswer(wholeStream(dialect, tokens, said))
      : jsonAnswer(JSON.parse(JSON.stringify(dialect.body(tokens)).replace('hello', quoted())))
  })
  const names = Object.keys(dialects) as Dialect['name'][]
  app = await startServing({
    upstream: upstream.url,
    moreChannels: [
      ...names.map((name) => ({ name: `on-${name}`, speaks: speaksAt(upstream.url, [name]) })),
      {
        name: 'spare',
        priority: 9,
        api_key: 'spare-key',
        speaks: speaksAt(upstream.url, ['messages']),
      },
    ].map((channel) => {
      return { api_key: upstreamKey, models: ['test-model'], allow_private: true, ...channel }
    }),
    moreGroups: [
      ...names.map((name) => ({ name: `on-${name}`, channels: [`on-${name}`] })),
      { name: 'pair', channels: ['on-messages', 'spare'] },
    ],
    moreAccounts: [
      {
        ...{ email: 'other@example.com', balance: 100 },
        tokens: [
          ...names.map((name) => ({
            ...{ name: `on-${name}`, key: keyOn({ name }), group: `on-${name}` },
          })),
          { name: 'pair', key: pairKey, group: 'pair' },
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
  said = ['Yes.']
})

const quoted = () => JSON.stringify(said.join('')).slice(1, -1)

interface Asked {
  readonly on: Dialect['name']
  readonly stream?: boolean
  readonly strict?: boolean
}

/** Asks with fields beside a plain request; tells what came of it, and what went upstream. */
async function ask(client: Dialect, fields: object, { on, stream = false, strict }: Asked) {
  const body = { ...client.request(stream), ...fields }
  const more = strict ? { 'x-tollgate-strict': 'true' } : undefined
  const answer = await app.ask(client.path(stream), body, keyOn({ name: on }), more)
  const text = await answer.text()
  const requestId = answer.headers.get('x-request-id') ?? ''
  return {
    status: answer.status,
    dropped: answer.headers.get('x-tollgate-dropped'),
    text,
    sent: upstream.requests.at(-1)?.json() as Record<string, unknown> | undefined,
    calls: upstream.requests.length,
    receipt: () => app.instance.store.records.receipt(requestId),
  }
}

const { chat, responses, messages, gemini } = dialects
const function_ = (parameters: object, strict?: boolean) => ({
  tools: [{ type: 'function', function: { name: 'swarm', parameters, strict } }],
})

describe('a tool whose schema has keywords that Gemini does not know', () => {
  const parameters = {
    type: 'object',
    properties: { agents: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } } },
    not: { required: ['secret'] },
  }

  test('is taken, told in words, and named', async () => {
    const { status, dropped, sent } = await ask(chat, function_(parameters), { on: 'gemini' })
    expect(status).toBe(200)
    expect(dropped).toBe(
      'tools[0].function.parameters.not, tools[0].function.parameters.properties.agents.propertyNames',
    )
    expect(sent?.tools).toEqual([
      {
        functionDeclarations: [
          {
            name: 'swarm',
            parametersJsonSchema: {
              type: 'object',
              description: 'Must not fit: {"required":["secret"]}.',
              properties: {
                agents: {
                  type: 'object',
                  description: 'Each property name must fit: {"pattern":"^[a-z]+$"}.',
                },
              },
            },
          },
        ],
      },
    ])
  })

  test('is refused by name where it, or the request, is strict', async () => {
    for (const [fields, strict] of [
      [function_(parameters, true), false],
      [function_(parameters), true],
    ] as const) {
      const { status, text, calls } = await ask(chat, fields, { on: 'gemini', strict })
      expect([status, calls]).toEqual([400, 0])
      expect(text).toContain('tools[0].function.parameters.not')
    }
  })
})

describe('a tool whose schema has alternatives at its root', () => {
  const parameters = {
    type: 'object',
    description: 'A video.',
    properties: { id: { type: 'string' } },
    oneOf: [{ required: ['id'] }, { properties: { url: { type: 'string' } }, required: ['url'] }],
  }
  const clientOf = { messages: chat, responses: chat, chat: responses } as const

  test.each(['messages', 'responses', 'chat'] as const)('is taken on %s', async (on) => {
    const client = clientOf[on]
    const asked = (strict: boolean) =>
      client === chat
        ? function_(parameters, strict)
        : { tools: [{ type: 'function', name: 'swarm', parameters, strict }] }
    const { status, dropped, sent } = await ask(client, asked(false), { on })
    const path = client === chat ? 'tools[0].function.parameters' : 'tools[0].parameters'
    expect([status, dropped]).toEqual([200, `${path}.oneOf`])
    const plain = {
      type: 'object',
      description: `A video.\nMust fit exactly one of: ${JSON.stringify(parameters.oneOf)}.`,
      properties: { url: { type: 'string' }, id: { type: 'string' } },
    }
    expect(JSON.stringify(sent?.tools)).toContain(JSON.stringify(plain.description))
    expect(JSON.stringify(sent?.tools)).not.toContain('"oneOf"')
    expect(JSON.stringify(sent?.tools)).toContain(JSON.stringify(plain.properties))
    const strict = await ask(client, asked(true), { on })
    expect(strict.status).toBe(400)
    expect(strict.text).toContain(`${path}.oneOf`)
  })
})

describe('tools that a search of the client’s has loaded', () => {
  const tool = (name: string, more: object = {}) => ({
    ...{ name, input_schema: { type: 'object', properties: {} } },
    ...more,
  })
  const fields = {
    tools: [tool('Read'), tool('Fetch', { defer_loading: true }), tool('Search')],
    messages: [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Search', input: {} }] },
      {
        role: 'user',
        content: [
          {
            ...{ type: 'tool_result', tool_use_id: 'c1' },
            content: [{ type: 'tool_reference', tool_name: 'Fetch' }],
          },
        ],
      },
    ],
  }

  test.each(['chat', 'responses', 'gemini'] as const)('are told on %s', async (on) => {
    const { status, dropped, sent } = await ask(messages, fields, { on, strict: true })
    expect([status, dropped]).toEqual([200, null])
    const text = JSON.stringify(sent)
    expect(text).toContain('The tool \\"Fetch\\" can be called now.')
    const order = ['Read', 'Search', 'Fetch'].map((name) => text.lastIndexOf(`"name":"${name}"`))
    expect(order.every((at) => at > 0)).toBeTrue()
    const { messages: [question] = [] } = fields
    const before = await ask(messages, { ...fields, messages: [question] }, { on })
    expect(JSON.stringify(before.sent)).not.toContain('Fetch')
  })
})

describe('JSON that the vendor can’t promise', () => {
  const asks: readonly (readonly [Dialect, object])[] = [
    [chat, { response_format: { type: 'json_object' } }],
    [responses, { text: { format: { type: 'json_object' } } }],
    [gemini, { generationConfig: { responseMimeType: 'application/json' } }],
  ]
  const whole = {
    chat: (text: string) => JSON.parse(text).choices[0].message.content,
    responses: (text: string) => JSON.parse(text).output[0].content[0].text,
    gemini: (text: string) => JSON.parse(text).candidates[0].content.parts[0].text,
    messages: (text: string) => text,
  }

  test.each(asks)('is asked for in words: $name', async (client, fields) => {
    said = ['{"a":1}']
    const { status, dropped, sent } = await ask(client, fields, { on: 'messages' })
    expect([status, dropped]).toEqual([200, null])
    expect(JSON.stringify(sent?.system)).toContain('and nothing else')
  })

  test.each(asks)('is cut out of what stands around it: $name', async (client, fields) => {
    said = ['Sure:\n```json\n', '{"a":', '1}', '\n```']
    const unstreamed = await ask(client, fields, { on: 'messages' })
    expect(whole[client.name](unstreamed.text)).toBe('{"a":1}')
    const streamed = await ask(client, fields, { on: 'messages', stream: true })
    expect(spoken(client, streamed.text)).toBe('{"a":1}')
    expect(violations(client, streamed.text, 'complete')).toEqual([])
  })

  test.each(asks)(
    'is an error where there is none, and is charged: $name',
    async (client, fields) => {
      said = ['I would rather', ' not.']
      for (const stream of [false, true]) {
        const { status, text, calls, receipt } = await ask(client, fields, {
          on: 'messages',
          stream,
        })
        expect([status, calls]).toEqual([stream ? 200 : 502, stream ? 2 : 1])
        expect(text).toContain('is not the JSON that was asked for')
        expect(text).toContain('I would rather not.')
        if (stream) expect(violations(client, text, 'error')).toEqual([])
        const { request } = (await receipt()) ?? {}
        expect(request).toMatchObject({ inputTokens: 10, outputTokens: 5, amountNano: 20_000 })
        expect(JSON.stringify(request)).not.toContain('I would')
      }
    },
  )
})

test('answers that are not the JSON asked for are not held against the channel', async () => {
  said = ['No.']
  const fields = { response_format: { type: 'json_object' } }
  const body = chat.request(false)
  for (let asked = 0; asked < 12; asked++) {
    await app.ask(chat.path(false), { ...body, ...fields }, pairKey)
  }
  expect((await app.ask(chat.path(false), body, pairKey)).status).toBe(200)
  const keys = upstream.requests.map(({ headers }) => headers.get('x-api-key'))
  expect(keys).toEqual(Array.from({ length: 13 }, () => upstreamKey))
})

describe('requests that say little', () => {
  test('a system prompt alone is input on a responses channel', async () => {
    const fields = { messages: [{ role: 'system', content: 'Say hi.' }] }
    const { status, sent } = await ask(chat, fields, { on: 'responses' })
    expect(status).toBe(200)
    expect(sent).not.toHaveProperty('instructions')
    expect(sent?.input).toMatchObject([{ role: 'system', content: [{ text: 'Say hi.' }] }])
  })

  test('contents without parts are refused, natively too, and cost nothing', async () => {
    for (const on of ['chat', 'gemini'] as const) {
      const { status, text, calls } = await ask(gemini, { contents: [{ parts: [] }] }, { on })
      expect([status, calls]).toEqual([400, 0])
      expect(text).toContain('contents[0].parts')
    }
  })

  test('an empty part says nothing', async () => {
    const contents = [{ role: 'user', parts: [{}, { text: 'Hi' }] }]
    const { status, dropped, sent } = await ask(gemini, { contents }, { on: 'chat', strict: true })
    expect([status, dropped]).toEqual([200, null])
    expect(JSON.stringify(sent?.messages)).toContain('"Hi"')
  })

  test('a stream for Gemini’s clients ends with its last words', async () => {
    said = ['Hel', 'lo.']
    const { text } = await ask(gemini, {}, { on: 'chat', stream: true })
    expect(spoken(gemini, text)).toBe('Hello.')
    expect(text).not.toContain('"text":""')
    expect(text.trim().split('\r\n\r\n').at(-1)).toContain('"parts":[{"text":"."}]')
  })
})
