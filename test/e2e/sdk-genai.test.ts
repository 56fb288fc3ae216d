import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  ApiError,
  type CallableTool,
  type Content,
  type FunctionDeclaration,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  type Bench,
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

// Google's own SDK. By itself it asks under /v1; most others ask under /v1beta.

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const clientOf = ({ url, key }: Target, apiVersion?: string) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url }, ...(apiVersion && { apiVersion }) })

const client = (apiVersion?: string, key = testKey) =>
  clientOf({ url: bench.gateway.url, key }, apiVersion)

const ask = (contents: string) => ({ model: 'demo', contents })

const weatherTool: FunctionDeclaration = {
  name: 'get_weather',
  description: 'Weather of a place',
  parametersJsonSchema: placeSchema,
}

const versions: [string | undefined][] = [[undefined], ['v1beta']]

describe.each(versions)('content is the same as from the vendor, by version %p', (version) => {
  test('plain, and charged by its usage', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target, version).models.generateContent({
        ...ask('What is 6 * 7?'),
        config: { systemInstruction: 'Be short.' },
      }),
    )
    expect(through.text).toBe('6 * 7 = 42')
    const record = await bench.record(through.sdkHttpResponse?.headers?.['x-request-id'])
    const { promptTokenCount: input = 0, candidatesTokenCount: output = 0 } =
      through.usageMetadata ?? {}
    expect(output).toBeGreaterThan(0)
    expect(record.amount_nano).toBe(input * 200 + output * 1600)
  })

  test('streamed', async () => {
    const chunks = await sameThroughGateway(bench, async (target) =>
      collect(
        await clientOf(target, version).models.generateContentStream(ask('Say: Grüße, 世界 🌍!')),
      ),
    )
    expect(chunks.map(({ text }) => text).join('')).toBe('Grüße, 世界 🌍!')
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason as string | undefined).toBe('STOP')
    const record = await bench.record(chunks[0]?.sdkHttpResponse?.headers?.['x-request-id'])
    const { promptTokenCount: input = 0, candidatesTokenCount: output = 0 } =
      chunks.at(-1)?.usageMetadata ?? {}
    expect(record.amount_nano).toBe(input * 200 + output * 1600)
  })

  test.each([false, true])('a loop with parallel tools, streamed: %p', async (stream) => {
    const { calls, text } = await sameThroughGateway(bench, async (target) => {
      const { models } = clientOf(target, version)
      const config = { tools: [{ functionDeclarations: [weatherTool] }] }
      const send = async (contents: Content[]) => {
        const body = { model: 'demo', contents, config }
        const answers = stream
          ? await collect(await models.generateContentStream(body))
          : [await models.generateContent(body)]
        return answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      }
      const user = { role: 'user', parts: [{ text: 'Weather in Paris and Oslo?' }] }
      const parts = await send([user])
      const results = parts.map(({ functionCall }, index): Part => {
        const { id = '', name = '' } = functionCall ?? {}
        return { functionResponse: { id, name, response: { output: 10 + index } } }
      })
      const final = await send([user, { role: 'model', parts }, { role: 'user', parts: results }])
      const calls = parts.map(({ functionCall }) => functionCall?.args)
      return { calls, text: final.map((part) => part.text).join('') }
    })
    expect(calls).toEqual([{ city: 'Paris' }, { city: 'Oslo' }])
    expect(text).toBe('The tool says: {"output":10}; {"output":11}')
  })

  test('functions that the SDK calls by itself, in a chat', async () => {
    const text = await sameThroughGateway(bench, async (target) => {
      const weather: CallableTool = {
        tool: async () => ({ functionDeclarations: [weatherTool] }),
        callTool: async (calls) =>
          calls.map(({ id = '', name = '', args }) => ({
            functionResponse: { id, name, response: { output: `sun in ${args?.city}` } },
          })),
      }
      const chat = clientOf(target, version).chats.create({
        model: 'demo',
        config: { tools: [weather] },
      })
      const first = await chat.sendMessage({ message: 'Weather in Rome?' })
      const second = await chat.sendMessage({ message: 'What is 2 + 3?' })
      return [first.text, second.text, chat.getHistory().length]
    })
    expect(text).toEqual(['The tool says: {"output":"sun in Rome"}', '2 + 3 = 5', 6])
  })

  test('an image', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target, version).models.generateContent({
        model: 'demo',
        contents: [
          { inlineData: { mimeType: 'image/png', data: pixel } },
          { text: 'What is this?' },
        ],
      }),
    )
    expect(through.text).toContain('image/png, 70 bytes')
  })

  test('structured output', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target, version).models.generateContent({
        ...ask('I live in Paris.'),
        config: { responseMimeType: 'application/json', responseJsonSchema: placeSchema },
      }),
    )
    expect(JSON.parse(through.text ?? '')).toEqual({ city: 'Paris' })
  })

  test('a token count, uncharged, equal to what the answer then uses', async () => {
    const before = await bench.records()
    const counted = await sameThroughGateway(bench, (target) =>
      clientOf(target, version).models.countTokens(ask('What is 6 * 7?')),
    )
    expect(await bench.records()).toEqual(before)
    const { usageMetadata } = await client(version).models.generateContent(ask('What is 6 * 7?'))
    expect(counted.totalTokens).toBe(usageMetadata?.promptTokenCount)
  })

  test('embeddings', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target, version).models.embedContent({
        model: 'demo-embedding',
        contents: ['a cat', 'a dog'],
        config: { outputDimensionality: 64 },
      }),
    )
    expect(through.embeddings?.map(({ values }) => values?.length)).toEqual([64, 64])
  })

  test('models are listed and got', async () => {
    const { models } = client(version)
    const listed = (await collect(await models.list())).map(({ name }) => name)
    expect(listed).toEqual(expect.arrayContaining(['models/demo', 'models/fake', 'models/pair']))
    expect(await models.get({ model: 'demo' })).toMatchObject({ name: 'models/demo' })
    const failure = await failureOf(() => models.get({ model: 'nobody' }))
    expect(failure).toMatchObject({ name: 'ApiError', status: 404 })
  })

  test.each([
    ['a wrong key', 'demo', 'sk-wrong', 401, 'Invalid API key', 'UNAUTHENTICATED'],
    ['an unknown model', 'nobody', testKey, 404, 'no model "nobody"', 'NOT_FOUND'],
    ['a rate limit', 'error-429', testKey, 429, 'rate limited', 'RESOURCE_EXHAUSTED'],
    ['a failed upstream', 'error-500', testKey, 502, 'upstream failed', 'UNAVAILABLE'],
    ['a bad request', 'error-400', testKey, 400, 'Failing with 400', 'INVALID_ARGUMENT'],
  ])('%s is the SDK’s error', async (_, model, key, code, message, status) => {
    const { models } = client(version, key)
    const asking = { ...ask('Hello'), model }
    for (const action of [
      () => models.generateContent(asking),
      () => models.generateContentStream(asking),
    ]) {
      const failure = (await failureOf(action)) as ApiError
      expect(failure).toBeInstanceOf(ApiError)
      expect(failure.status).toBe(code)
      const { error } = JSON.parse(failure.message)
      expect(error).toMatchObject({ code, status })
      expect(error.message).toContain(message)
    }
  })
})

describe('what goes through is not touched', () => {
  const signature = Buffer.from('a signature that must not change').toString('base64')
  const part = {
    functionCall: { id: 'call-1', name: 'get_weather', args: { city: 'Rome' } },
    thoughtSignature: signature,
  }
  const answer = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 6 },
    modelVersion: 'fake',
  }

  test.each([false, true])(
    'a thought signature survives both ways, streamed: %p',
    async (stream) => {
      bench.fake.handle(() =>
        stream
          ? sseAnswer(`data: ${JSON.stringify(answer)}\r\n\r\n`, { cuts: 1 })
          : jsonAnswer(answer),
      )
      const { models } = client()
      const send = async (contents: Content[] | string) => {
        const body = { model: 'fake', contents }
        const [first] = stream
          ? await collect(await models.generateContentStream(body))
          : [await models.generateContent(body)]
        return first
      }
      const first = await send('Weather in Rome?')
      const parts = first?.candidates?.[0]?.content?.parts ?? []
      expect(parts).toEqual([part])
      // Output and thoughts are one price: 2 USD per 1M tokens × 0.8 beside 1 × 0.8 for the input.
      const record = await bench.record(first?.sdkHttpResponse?.headers?.['x-request-id'])
      expect(record.amount_nano).toBe(9 * 800 + (4 + 6) * 1600)

      const response = { name: 'get_weather', response: { output: 'sun' } }
      await send([
        { role: 'user', parts: [{ text: 'Weather in Rome?' }] },
        { role: 'model', parts },
        { role: 'user', parts: [{ functionResponse: response }] },
      ])
      const seen = bench.fake.last()
      expect(seen.json()).toMatchObject({ contents: [{}, { parts: [part] }, {}] })
      expect(seen.headers.get('x-goog-api-key')).toBe('key-of-fake-0123456789')
      expect(seen.path).toBe(
        stream
          ? '/v1beta/models/fake:streamGenerateContent?alt=sse'
          : '/v1beta/models/fake:generateContent',
      )
    },
  )
})

describe('streams that do not end well', () => {
  const pieces = ['Half', ' an', ' answer', ' and', ' no', ' more'].map((text) => {
    const candidates = [{ content: { role: 'model', parts: [{ text }] }, index: 0 }]
    return `data: ${JSON.stringify({ candidates, modelVersion: 'fake' })}\n\n`
  })

  test.each(stops)(
    'a stream that %s raises after what was sent',
    async (_, how, message, model) => {
      bench.fake.handle(() => stopped(pieces.join(''), 3, how))
      const stream = await client().models.generateContentStream({ ...ask('Hello'), model })
      let text = ''
      let requestId: string | undefined
      const failure = await failureOf(async () => {
        for await (const chunk of stream) {
          text += chunk.text ?? ''
          requestId = chunk.sdkHttpResponse?.headers?.['x-request-id']
        }
      })
      expect(failure).toBeInstanceOf(ApiError)
      expect((failure as Error).message).toContain(message)
      expect(text).toBe('Half an answer')
      expect(await bench.record(requestId)).toMatchObject({ ending: 'cut', estimated: true })
    },
  )

  test('an error that the upstream tells in its stream is raised', async () => {
    const error = { code: 503, message: 'Overloaded now', status: 'UNAVAILABLE' }
    const frame = `data: ${JSON.stringify({ error })}\r\n\r\n`
    bench.fake.handle(() => sseAnswer(frame))
    const stream = await client().models.generateContentStream({ ...ask('Hello'), model: 'fake' })
    const failure = await failureOf(() => collect(stream))
    expect(failure).toMatchObject({ name: 'ApiError', status: 503 })
    expect((failure as Error).message).toContain('Overloaded now')
    expect((await bench.records()).at(-1)).toMatchObject({ ending: 'failed', amount_nano: 0 })
  })

  test('a bad request reads as the vendor wrote it', async () => {
    const through = await sameThroughGateway(bench, async (target) => {
      const { models } = clientOf(target)
      const failure = await failureOf(() =>
        models.generateContent({ ...ask('Hi'), model: 'error-400' }),
      )
      return failure as ApiError
    })
    expect(through.message).toContain('INVALID_ARGUMENT')
  })

  test('a stream that the client aborts is recorded as left, and read to its end', async () => {
    const controller = new AbortController()
    const stream = await client().models.generateContentStream({
      ...ask('Count to 300.'),
      config: { abortSignal: controller.signal },
    })
    let seen = 0
    let requestId: string | undefined
    await failureOf(async () => {
      for await (const chunk of stream) {
        requestId = chunk.sdkHttpResponse?.headers?.['x-request-id']
        if (++seen === 5) controller.abort()
      }
    })
    const record = await bench.record(requestId)
    expect(record).toMatchObject({ ending: 'client_left', estimated: false })
    expect(record.output_tokens).toBeGreaterThan(300)
  })
})
