import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import { type FakeHandler, jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  type Bench,
  beginning,
  collect,
  failureOf,
  pixel,
  placeSchema,
  sameThroughGateway,
  startBench,
  stopped,
  stops,
  type Target,
} from './sdk-support.ts'

// Anthropic's own SDK.

let bench: Bench
let client: Anthropic
beforeAll(async () => {
  bench = await startBench()
  client = clientOf({ url: bench.gateway.url, key: testKey })
})
afterAll(() => bench[Symbol.asyncDispose]())

const clientOf = ({ url, key }: Target) =>
  new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })

const ask = (content: string) => ({
  model: 'demo',
  max_tokens: 10_000,
  messages: [{ role: 'user' as const, content }],
})

const textOf = (message: Anthropic.Message | Anthropic.Beta.BetaMessage) =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')

const weatherTool = {
  name: 'get_weather',
  description: 'Weather of a place',
  input_schema: { ...placeSchema, required: ['city'] },
} satisfies Anthropic.Tool

describe('messages are the same as from the vendor', () => {
  test('plain, and charged by its usage', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).messages.create({ ...ask('What is 6 * 7?'), system: 'Be short.' }),
    )
    expect(textOf(through)).toBe('6 * 7 = 42')
    const { input_tokens: input, output_tokens: output } = through.usage
    const record = await bench.record(through._request_id)
    expect(record).toMatchObject({ ending: 'complete', estimated: false })
    expect(record.amount_nano).toBe(input * 200 + output * 1600)
  })

  test('cache writes and reads, each charged at its price', async () => {
    const story = 'the long story of a gate and its keeper '.repeat(300)
    const body = {
      ...ask('What is 2 + 2?'),
      system: [{ type: 'text', text: story, cache_control: { type: 'ephemeral' } }],
    } satisfies Anthropic.MessageCreateParams
    const written = await client.messages.create(body)
    const read = await client.messages.create(body)
    expect(written.usage.cache_creation_input_tokens).toBeGreaterThan(1024)
    expect(read.usage.cache_read_input_tokens).toBeGreaterThan(1024)
    for (const { usage, _request_id } of [written, read]) {
      const record = await bench.record(_request_id)
      // 0.25, 2, 0.025 and 0.3125 USD per 1M tokens × 0.8, in nano-USD per token.
      const expected =
        usage.input_tokens * 200 +
        usage.output_tokens * 1600 +
        (usage.cache_read_input_tokens ?? 0) * 20 +
        (usage.cache_creation_input_tokens ?? 0) * 250
      expect(record.amount_nano).toBe(expected)
    }
  })

  test('streamed: the raw events, and the message that the helper makes of them', async () => {
    const { types, final } = await sameThroughGateway(bench, async (target) => {
      const { messages } = clientOf(target)
      const raw = await messages.create({ ...ask('Count from 1 to 30.'), stream: true })
      const types = (await collect(raw)).map((event) => event.type)
      const final = await messages.stream(ask('Say: Grüße, 世界 🌍!')).finalMessage()
      return { types, final }
    })
    expect([types[0], types.at(-1)]).toEqual(['message_start', 'message_stop'])
    expect(textOf(final)).toBe('Grüße, 世界 🌍!')
    expect(final.usage.output_tokens).toBeGreaterThan(1)

    const stream = client.messages.stream(ask('Count from 1 to 30.'))
    const { input_tokens: input, output_tokens: output } = (await stream.finalMessage()).usage
    const { amount_nano } = await bench.record(stream.request_id)
    expect(amount_nano).toBe(input * 200 + output * 1600)
  })

  test.each([false, true])('a loop with parallel tools, streamed: %p', async (stream) => {
    const { calls, final } = await sameThroughGateway(bench, async (target) => {
      const { messages } = clientOf(target)
      const send = (body: Anthropic.MessageCreateParamsNonStreaming) =>
        stream ? messages.stream(body).finalMessage() : messages.create(body)
      const body = { ...ask('Weather in Paris and Oslo?'), tools: [weatherTool] }
      const first = await send(body)
      const calls = first.content.filter((block) => block.type === 'tool_use')
      const content = calls.map(({ id }, index) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: `${10 + index} degrees`,
      }))
      const answered = [
        ...body.messages,
        { role: 'assistant' as const, content: first.content },
        { role: 'user' as const, content },
      ]
      return { calls, final: await send({ ...body, messages: answered }) }
    })
    expect(calls.map(({ input }) => input)).toEqual([{ city: 'Paris' }, { city: 'Oslo' }])
    expect(textOf(final)).toBe('The tool says: 10 degrees; 11 degrees')
  })

  test.each([false, true])(
    'the tool runner on its message thread, streamed: %p',
    async (stream) => {
      const final = await sameThroughGateway(bench, (target) => {
        const tools = [
          betaTool({
            name: 'get_weather',
            description: 'Weather of a place',
            inputSchema: placeSchema,
            run: ({ city }) => `sun in ${city}`,
          }),
        ]
        const body = { ...ask('Weather in Rome?'), tools }
        const { messages } = clientOf(target).beta
        return stream
          ? messages.toolRunner({ ...body, stream: true }).runUntilDone()
          : messages.toolRunner(body).runUntilDone()
      })
      expect(textOf(final)).toBe('The tool says: sun in Rome')
    },
  )

  test('an image', async () => {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: pixel }
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).messages.create({
        ...ask(''),
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source },
              { type: 'text', text: 'What is this?' },
            ],
          },
        ],
      }),
    )
    expect(textOf(through)).toContain('image/png, 70 bytes')
  })

  test('structured output, parsed by the SDK', async () => {
    const parsed = await sameThroughGateway(bench, async (target) => {
      const { messages } = clientOf(target)
      const format = jsonSchemaOutputFormat(placeSchema)
      const body = { ...ask('I live in Paris.'), output_config: { format } }
      const streamed = await messages.stream(body).finalMessage()
      return [(await messages.parse(body)).parsed_output, streamed.parsed_output]
    })
    expect(parsed).toEqual([{ city: 'Paris' }, { city: 'Paris' }])
  })

  test('a token count, uncharged, equal to what the message then uses', async () => {
    const counted = await sameThroughGateway(bench, (target) =>
      clientOf(target).messages.countTokens({
        model: 'demo',
        messages: ask('What is 6 * 7?').messages,
        tools: [weatherTool],
      }),
    )
    const before = await bench.records()
    const message = await client.messages.create({ ...ask('What is 6 * 7?'), tools: [weatherTool] })
    expect(counted.input_tokens).toBe(message.usage.input_tokens)
    await client.messages.countTokens({ model: 'demo', messages: ask('Hi').messages })
    const after = await bench.records()
    expect(after.slice(before.length).map((one) => one.request_id)).toEqual([
      message._request_id ?? 'none',
    ])
  })
})

describe('what the client sends arrives', () => {
  const message = (id: string, text: string, more: object = {}) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: 'pair',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 3 },
    ...more,
  })
  const answers =
    (text: string): FakeHandler =>
    () =>
      jsonAnswer(message('msg_1', text))

  test.each([
    ['apiKey', { apiKey: testKey }],
    ['authToken', { authToken: testKey, apiKey: null }],
    [
      'x-api-key header',
      { apiKey: null, authToken: null, defaultHeaders: { 'x-api-key': testKey } },
    ],
  ])('the key as %s is good, and does not go upstream', async (_, credential) => {
    bench.fake.handle(answers('ok'))
    const own = new Anthropic({ baseURL: bench.gateway.url, maxRetries: 0, ...credential })
    expect(textOf(await own.messages.create({ ...ask('Hi'), model: 'fake' }))).toBe('ok')
    const { headers } = bench.fake.last()
    expect(headers.get('x-api-key')).toBe('key-of-fake-0123456789')
    expect(headers.get('authorization')).toBeNull()
  })

  test('its version, its betas and its unknown fields', async () => {
    const unknown = { unknown: { deep: [1, null, '\u2028'] } }
    const answer = message('msg_2', 'ok', unknown)
    bench.fake.handle(() => jsonAnswer(answer))
    let sent: unknown
    const spying = client.withOptions({
      fetch: (url, init) => {
        sent = { url: String(url), body: init?.body }
        return fetch(url, init)
      },
    })
    const through = await spying.beta.messages.create({
      ...ask('Hi'),
      model: 'fake',
      betas: ['context-1m-2025-08-07', 'made-up-2030-01-01'],
      thinking: { type: 'adaptive', block_binding: 'strict' },
      context_management: { edits: [] },
      made_up: { big: 12_345_678_901_234_567_890n.toString(), text: 'é\ud83c\udf0d' },
    } as Anthropic.Beta.MessageCreateParamsNonStreaming)
    expect(through).toMatchObject(unknown)
    const seen = bench.fake.last()
    expect(sent).toEqual({
      url: `${bench.gateway.url}/v1/messages`,
      body: seen.text(),
    })
    expect(seen.json()).toHaveProperty('made_up.text', 'é🌍')
    expect(seen.path.split('?')[0]).toBe('/v1/messages')
    expect(seen.headers.get('anthropic-version')).toBe('2026-10-21')
    expect(seen.headers.get('anthropic-beta')).toBe('context-1m-2025-08-07,made-up-2030-01-01')
  })

  test('a message thread stays with the channel that began it', async () => {
    bench.fake.handle(() => jsonAnswer({ error: { message: 'Down.' } }, 500))
    bench.twin.handle(answers('I am twin.'))
    const thread = client.beta.messages.thread({ model: 'pair', max_tokens: 100 })
    await thread.send({ role: 'user', content: 'Who are you?' })
    bench.fake.handle(answers('I am fake.'))
    bench.fake.clear()
    const next = await thread.send({ role: 'user', content: 'And now?' })
    expect(textOf(next)).toBe('I am twin.')
    expect(bench.fake.requests).toHaveLength(0)
    expect(bench.twin.last().json()).toMatchObject({
      messages: [{ role: 'user', content: 'And now?' }],
      thread: { type: 'continue', previous_message_id: 'msg_1' },
    })
  })

  test('a thread that the upstream has lost is replayed by the SDK', async () => {
    const lost = {
      type: 'error',
      error: {
        type: 'not_found_error',
        message: 'No such thread.',
        details: { error_code: 'thread_not_found' },
      },
    }
    bench.fake.handle((request) =>
      JSON.stringify(request.json()).includes('"continue"')
        ? jsonAnswer(lost, 404)
        : jsonAnswer(message('msg_3', 'ok')),
    )
    const thread = client.beta.messages.thread({ model: 'fake', max_tokens: 100 })
    await thread.send({ role: 'user', content: 'One' })
    expect(textOf(await thread.send({ role: 'user', content: 'Two' }))).toBe('ok')
    const { messages } = bench.fake.last().json() as { messages: unknown[] }
    expect(messages).toHaveLength(3)
  })

  test('models are listed and retrieved', async () => {
    const listed = (await collect(client.models.list({ limit: 1000 }))).map(({ id }) => id)
    expect(listed).toEqual(expect.arrayContaining(['demo', 'fake', 'pair']))
    const model = await client.models.retrieve('demo')
    expect(model).toMatchObject({ id: 'demo', type: 'model', display_name: 'demo' })
    expect(Date.parse(model.created_at)).toBeGreaterThan(0)
    const failure = await failureOf(() => client.models.retrieve('nobody'))
    expect(failure).toBeInstanceOf(Anthropic.NotFoundError)
  })
})

describe('errors are the SDK’s own', () => {
  const create = (model: string, key = testKey) =>
    clientOf({ url: bench.gateway.url, key }).messages.create({ ...ask('Hello'), model })

  test.each([
    ['a wrong key', 'demo', 'sk-wrong', Anthropic.AuthenticationError, 401, 'Invalid API key'],
    ['an unknown model', 'nobody', testKey, Anthropic.NotFoundError, 404, 'no model "nobody"'],
    ['a rate limit', 'error-429', testKey, Anthropic.RateLimitError, 429, 'rate limited'],
    ['a failed upstream', 'error-500', testKey, Anthropic.InternalServerError, 502, 'failed'],
    ['a bad request', 'error-400', testKey, Anthropic.BadRequestError, 400, 'Failing with 400'],
  ])('%s', async (_, model, key, kind, status, message) => {
    const failure = (await failureOf(() => create(model, key))) as InstanceType<typeof kind>
    expect(failure).toBeInstanceOf(kind)
    expect(failure.status).toBe(status)
    expect(failure.apiMessage ?? failure.message).toContain(message)
    expect(failure.requestID).toMatch(/./)
  })

  test('a bad request reads as the vendor wrote it', async () => {
    const through = await sameThroughGateway(bench, async (target) => {
      const { messages } = clientOf(target)
      const failure = await failureOf(() => messages.create({ ...ask('Hi'), model: 'error-400' }))
      const { status, error, type } = failure as InstanceType<typeof Anthropic.APIError>
      return { status, error, type }
    })
    expect(through.type).toBe('invalid_request_error')
  })

  test('an error that the upstream tells in its stream is raised', async () => {
    const error = { type: 'overloaded_error', message: 'Overloaded now' }
    const frame = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`
    bench.fake.handle(() => sseAnswer(beginning(halved, 3) + frame))
    const stream = client.messages.stream({ ...ask('Hello'), model: 'fake' })
    const failure = await failureOf(() => stream.finalMessage())
    expect(failure).toBeInstanceOf(Anthropic.APIError)
    expect(failure).toMatchObject({ type: 'overloaded_error', apiMessage: 'Overloaded now' })
    expect(await bench.record(stream.request_id)).toMatchObject({ ending: 'failed' })
  })

  const words = ['Half', ' an', ' answer', ' and', ' no', ' more']
  const open = { id: 'msg_4', type: 'message', role: 'assistant', model: 'fake', content: [] }
  const halved = [
    { type: 'message_start', message: { ...open, usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

  test.each(stops)(
    'a stream that %s raises after what was sent',
    async (_, how, message, model) => {
      bench.fake.handle(() => stopped(halved, 5, how))
      const stream = client.messages.stream({ ...ask('Hello'), model })
      let text = ''
      stream.on('text', (delta) => {
        text += delta
      })
      const failure = await failureOf(() => stream.finalMessage())
      expect(failure).toBeInstanceOf(Anthropic.APIError)
      expect((failure as Error).message).toContain(message)
      expect(text).toBe('Half an answer')
      const record = await bench.record(stream.request_id)
      expect(record).toMatchObject({ ending: 'cut', input_tokens: 9, estimated: true })
    },
  )

  test('a stream that the client aborts is recorded as left, and read to its end', async () => {
    const stream = client.messages.stream(ask('Count to 300.'))
    let seen = 0
    stream.on('text', () => {
      if (++seen === 5) stream.abort()
    })
    expect(await failureOf(() => stream.done())).toBeInstanceOf(Anthropic.APIUserAbortError)
    const record = await bench.record(stream.request_id)
    expect(record).toMatchObject({ ending: 'client_left', estimated: false })
    expect(record.output_tokens).toBeGreaterThan(300)
  })
})
