import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { standardFunction, standardResponseFormat } from 'openai/helpers/standard-schema'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  type Bench,
  collect,
  failureOf,
  pixel,
  place,
  placeSchema,
  sameThroughGateway,
  startBench,
  stopped,
  stops,
  type Target,
} from './sdk-support.ts'

// OpenAI's own SDK: chat completions and the endpoints beside them.

let bench: Bench
let client: OpenAI
beforeAll(async () => {
  bench = await startBench()
  client = clientOf({ url: bench.gateway.url, key: testKey })
})
afterAll(() => bench[Symbol.asyncDispose]())

const clientOf = ({ url, key }: Target) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

type ChatBody = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

const ask = (content: string): Omit<ChatBody, 'stream'> => ({
  model: 'demo',
  messages: [{ role: 'user', content }],
})

const weatherTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'Weather of a place', parameters: placeSchema },
} as const satisfies OpenAI.Chat.ChatCompletionTool

describe('chat completions are the same as from the vendor', () => {
  test('plain, with its request id', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).chat.completions.create(ask('What is 6 * 7?')),
    )
    expect(through.choices[0]?.message.content).toBe('6 * 7 = 42')
    const record = await bench.record(through._request_id)
    expect(record).toMatchObject({ ending: 'complete', channel: 'main', status: 200 })
  })

  test('streamed: no usage chunk for who did not ask, one for who did', async () => {
    const texts = await sameThroughGateway(bench, async (target) => {
      const { completions } = clientOf(target).chat
      const bare = await collect(
        await completions.create({ ...ask('Count from 1 to 30.'), stream: true }),
      )
      const counted = await collect(
        await completions.create({
          ...ask('Count from 1 to 30.'),
          stream: true,
          stream_options: { include_usage: true },
        }),
      )
      return { bare, counted }
    })
    expect(texts.bare.every((chunk) => chunk.choices.length === 1)).toBe(true)
    expect(texts.bare.some((chunk) => 'usage' in chunk && chunk.usage)).toBe(false)
    expect(texts.counted.at(-1)?.choices).toEqual([])
    expect(texts.counted.at(-1)?.usage?.completion_tokens).toBeGreaterThan(20)
    const said = texts.bare.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
    expect(said.endsWith('28, 29, 30')).toBe(true)
  })

  test('accumulated by the stream helper', async () => {
    const final = await sameThroughGateway(bench, (target) =>
      clientOf(target).chat.completions.stream(ask('Say: Grüße, 世界 🌍!')).finalChatCompletion(),
    )
    expect(final.choices[0]?.message.content).toBe('Grüße, 世界 🌍!')
  })

  test('a loop with parallel tools: calls, results, final answer', async () => {
    const { calls, final } = await sameThroughGateway(bench, async (target) => {
      const { completions } = clientOf(target).chat
      const body = { ...ask('Weather in Paris and Oslo?'), tools: [weatherTool] }
      const first = await completions.create(body)
      const message = first.choices[0]?.message
      const calls = message?.tool_calls ?? []
      const results = calls.map((call, index) => ({
        role: 'tool' as const,
        tool_call_id: call.id,
        content: `${10 + index} degrees`,
      }))
      const messages = [...body.messages, ...(message ? [message] : []), ...results]
      return { calls, final: await completions.create({ ...body, messages }) }
    })
    const names = calls.map((call) => call.type === 'function' && call.function.arguments)
    expect(names).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}'])
    expect(final.choices[0]?.message.content).toBe('The tool says: 10 degrees; 11 degrees')
  })

  test('streamed tool calls, accumulated', async () => {
    const final = await sameThroughGateway(bench, (target) =>
      clientOf(target)
        .chat.completions.stream({ ...ask('Weather in Paris and Oslo?'), tools: [weatherTool] })
        .finalChatCompletion(),
    )
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    const made = final.choices[0]?.message.tool_calls ?? []
    const places = made.map((call) => call.type === 'function' && call.function.arguments)
    expect(places).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}'])
  })

  test.each([false, true])('the tool runner, streamed: %p', async (stream) => {
    const text = await sameThroughGateway(bench, (target) => {
      const tools = [
        standardFunction({
          name: 'get_weather',
          parameters: place,
          function: ({ city }) => `sun in ${city}`,
        }),
      ]
      const { completions } = clientOf(target).chat
      const body = { ...ask('Weather in Rome?'), tools }
      const runner = stream
        ? completions.runTools({ ...body, stream: true })
        : completions.runTools(body)
      return runner.finalContent()
    })
    expect(text).toBe('The tool says: sun in Rome')
  })

  test('an image', async () => {
    const url = `data:image/png;base64,${pixel}`
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).chat.completions.create({
        model: 'demo',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      }),
    )
    expect(through.choices[0]?.message.content).toContain('image/png, 70 bytes')
  })

  test('structured output, parsed by the SDK', async () => {
    const parsed = await sameThroughGateway(bench, async (target) => {
      const { completions } = clientOf(target).chat
      const body = {
        ...ask('I live in Paris.'),
        response_format: standardResponseFormat(place, 'place'),
      }
      const whole = await completions.parse(body)
      const streamed = await completions.stream(body).finalChatCompletion()
      return [whole, streamed].map((one) => one.choices[0]?.message.parsed)
    })
    expect(parsed).toEqual([{ city: 'Paris' }, { city: 'Paris' }])
  })
})

describe('embeddings, images and models', () => {
  test('embeddings are asked for as base64 and arrive as numbers', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).embeddings.create({ model: 'demo-embedding', input: ['a cat', 'a dog'] }),
    )
    expect(through.data.map(({ embedding }) => embedding.length)).toEqual([256, 256])
    expect(through.data[0]?.embedding.every((one) => typeof one === 'number')).toBe(true)

    bench.fake.handle(() => jsonAnswer({ object: 'list', data: [], usage: { prompt_tokens: 1 } }))
    await client.embeddings.create({ model: 'fake', input: 'a cat' })
    expect(bench.fake.last().json()).toMatchObject({ encoding_format: 'base64' })
  })

  test('images are generated, and charged by the call', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).images.generate({ model: 'demo-painter', prompt: 'A gate', n: 2 }),
    )
    const picture = Buffer.from(through.data?.[1]?.b64_json ?? '', 'base64')
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    const { amount_nano } = await bench.record(through._request_id)
    expect(amount_nano).toBe(2 * 40_000_000 * 0.8)
  })

  test('images are streamed, as new ones and as edits', async () => {
    const events = [
      { type: 'image_generation.partial_image', b64_json: pixel, partial_image_index: 0 },
      {
        type: 'image_generation.completed',
        b64_json: pixel,
        usage: { input_tokens: 10, output_tokens: 272, total_tokens: 282 },
      },
    ]
    const frames = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`)
    bench.fake.handle(() => sseAnswer(frames.join(''), { cuts: 50 }))
    const image = await toFile(Buffer.from(pixel, 'base64'), 'a.png', { type: 'image/png' })
    const body = { model: 'fake', prompt: 'A gate', stream: true } as const
    for (const { data, request_id } of [
      await client.images.generate(body).withResponse(),
      await client.images.edit({ ...body, image }).withResponse(),
    ]) {
      const types = (await collect<{ type: string }>(data)).map(({ type }) => type)
      expect(types).toEqual(events.map(({ type }) => type))
      expect((await bench.record(request_id)).amount_nano).toBe(10 * 800 + 272 * 1600)
    }
  })

  test.each([
    ['fake', 'fake'],
    ['alias', 'real'],
  ])('an image edit for %p goes upstream as a form with the file', async (model, upstreamModel) => {
    bench.fake.handle(() =>
      jsonAnswer({ created: 1, data: [{ b64_json: pixel }], usage: { input_tokens: 5 } }),
    )
    const file = Buffer.from(pixel, 'base64')
    const image = await toFile(file, 'gäte.png', { type: 'image/png' })
    const edited = await client.images.edit({ model, image, prompt: 'Paint it red', n: 1 })
    expect(edited.data?.[0]?.b64_json).toBe(pixel)

    const { headers, body, path } = bench.fake.last()
    expect(path).toBe('/v1/images/edits')
    const form = await new Response(new Uint8Array(body), { headers }).formData()
    expect(form.get('model')).toBe(upstreamModel)
    expect(form.get('prompt')).toBe('Paint it red')
    const arrived = form.get('image') as unknown as File
    expect([arrived.name, arrived.type]).toEqual(['gäte.png', 'image/png'])
    expect(Buffer.from(await arrived.arrayBuffer()).equals(file)).toBe(true)
  })

  test('models are listed, and retrieved one by one', async () => {
    const listed = (await collect(client.models.list())).map(({ id }) => id)
    expect(listed).toEqual(expect.arrayContaining(['demo', 'fake', 'pair']))
    expect(listed).not.toContain('real')
    expect(await client.models.retrieve('demo')).toMatchObject({ id: 'demo', object: 'model' })
    const failure = await failureOf(() => client.models.retrieve('nobody'))
    expect(failure).toBeInstanceOf(OpenAI.NotFoundError)
  })
})

describe('charges are price × the usage that the SDK saw', () => {
  test('chat, whole and streamed', async () => {
    const whole = await client.chat.completions.create(ask('Count from 1 to 9.'))
    const { data, request_id } = await client.chat.completions
      .create({ ...ask('Count to 300.'), stream: true, stream_options: { include_usage: true } })
      .withResponse()
    const last = (await collect(data)).at(-1)
    for (const [id, usage] of [
      [whole._request_id, whole.usage],
      [request_id, last?.usage],
    ] as const) {
      // 0.25 and 2 USD per 1M tokens × 0.8: 200 and 1600 nano-USD per token.
      const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage ?? {}
      expect(output).toBeGreaterThan(5)
      expect((await bench.record(id)).amount_nano).toBe(input * 200 + output * 1600)
    }
  })

  test('a prompt that the vendor has cached', async () => {
    const prompt = ask(`${'the long story of a gate and its keeper '.repeat(300)}\nWhat is 2 + 2?`)
    await client.chat.completions.create(prompt)
    const second = await client.chat.completions.create(prompt)
    const cached = second.usage?.prompt_tokens_details?.cached_tokens ?? 0
    expect(cached).toBeGreaterThan(1024)
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = second.usage ?? {}
    const record = await bench.record(second._request_id)
    expect(record.cache_read_tokens).toBe(cached)
    expect(record.amount_nano).toBe((input - cached) * 200 + cached * 20 + output * 1600)
  })

  test('embeddings', async () => {
    const { data, request_id } = await client.embeddings
      .create({ model: 'demo-embedding', input: 'one two three four' })
      .withResponse()
    // 0.02 USD per 1M tokens × 0.8: 16 nano-USD per token.
    expect((await bench.record(request_id)).amount_nano).toBe(data.usage.prompt_tokens * 16)
  })
})

describe('errors are the SDK’s own', () => {
  const create = (model: string, key = testKey) =>
    clientOf({ url: bench.gateway.url, key }).chat.completions.create({ ...ask('Hello'), model })

  test.each([
    ['a wrong key', 'demo', 'sk-wrong', OpenAI.AuthenticationError, 401, 'Invalid API key'],
    ['an unknown model', 'nobody', testKey, OpenAI.NotFoundError, 404, 'no model "nobody"'],
    ['a rate limit', 'error-429', testKey, OpenAI.RateLimitError, 429, 'rate limited'],
    ['a failed upstream', 'error-500', testKey, OpenAI.InternalServerError, 502, 'upstream failed'],
    ['a bad request', 'error-400', testKey, OpenAI.BadRequestError, 400, 'Failing with 400'],
  ])('%s', async (_, model, key, kind, status, message) => {
    const failure = (await failureOf(() => create(model, key))) as InstanceType<typeof kind>
    expect(failure).toBeInstanceOf(kind)
    expect(failure.status).toBe(status)
    expect(failure.message).toContain(message)
    expect(failure.requestID).toMatch(/./)
    if (status === 429) expect(failure.headers?.get('retry-after')).toBe('1')
    if (status !== 401) expect((await bench.record(failure.requestID)).amount_nano).toBe(0)
  })

  test('a bad request reads as the vendor wrote it', async () => {
    const through = await sameThroughGateway(bench, async (target) => {
      const { completions } = clientOf(target).chat
      const failure = await failureOf(() =>
        completions.create({ ...ask('Hi'), model: 'error-400' }),
      )
      const { status, error, message } = failure as InstanceType<typeof OpenAI.APIError>
      return { status, error, message }
    })
    expect(through.status).toBe(400)
  })

  test('the SDK’s own retries after a rate limit come through', async () => {
    let turn = 0
    bench.fake.handle(() =>
      turn++ === 0
        ? jsonAnswer({ error: { message: 'Slow down.' } }, 429, { 'retry-after': '0' })
        : jsonAnswer({ id: 'x', choices: [{ message: { content: 'ok' } }] }),
    )
    const patient = client.withOptions({ maxRetries: 2 })
    const answer = await patient.chat.completions.create({ ...ask('Hello'), model: 'fake' })
    expect(answer.choices[0]?.message.content).toBe('ok')
  })

  const words = ['Half', ' an', ' answer', ' and', ' no', ' more']
  const chunks = words.map((content) => {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }]
    const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'fake', choices }
    return `data: ${JSON.stringify(chunk)}\n\n`
  })

  test('an error that the upstream tells in its stream is raised', async () => {
    const error = { message: 'Overloaded now', type: 'server_error' }
    bench.fake.handle(() => sseAnswer(`${chunks[0]}data: ${JSON.stringify({ error })}\n\n`))
    const body = { ...ask('Hello'), model: 'fake', stream: true } as const
    const { data, request_id } = await client.chat.completions.create(body).withResponse()
    const failure = await failureOf(() => collect(data))
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect((failure as Error).message).toContain('Overloaded now')
    expect(await bench.record(request_id)).toMatchObject({ ending: 'failed', estimated: true })
  })

  test.each(stops)(
    'a stream that %s raises after what was sent',
    async (_, how, message, model) => {
      bench.fake.handle(() => stopped(chunks.join(''), 4, how))
      const { data, request_id } = await client.chat.completions
        .create({ ...ask('Hello'), model, stream: true })
        .withResponse()
      let text = ''
      const failure = await failureOf(async () => {
        for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? ''
      })
      expect(failure).toBeInstanceOf(OpenAI.APIError)
      expect((failure as Error).message).toContain(message)
      expect(text).toBe('Half an answer and')
      const record = await bench.record(request_id)
      expect(record).toMatchObject({ ending: 'cut', estimated: true })
      expect(record.amount_nano).toBeGreaterThan(0)
    },
  )

  test('a stream that the client aborts is recorded as left, and read to its end', async () => {
    const { data, request_id } = await client.chat.completions
      .create({ ...ask('Count to 300.'), stream: true })
      .withResponse()
    let seen = 0
    for await (const _ of data) if (++seen === 5) data.controller.abort()
    const record = await bench.record(request_id)
    expect(record).toMatchObject({ ending: 'client_left', estimated: false })
    expect(record.output_tokens).toBeGreaterThan(300)
  })
})
