import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { ResponsesToolRunner } from 'openai/helpers/responses-tool-runner'
import { standardTextFormat } from 'openai/helpers/standard-schema'
import { type FakeHandler, jsonAnswer, sseAnswer } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  type Bench,
  failureOf,
  otherKey,
  pixel,
  place,
  placeSchema,
  sameThroughGateway,
  startBench,
  stopped,
  stops,
  type Target,
} from './sdk-support.ts'

// OpenAI's own SDK: responses, streamed and stored.

let bench: Bench
let client: OpenAI
beforeAll(async () => {
  bench = await startBench()
  client = clientOf({ url: bench.gateway.url, key: testKey })
})
afterAll(() => bench[Symbol.asyncDispose]())

const clientOf = ({ url, key }: Target) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const ask = (input: string) => ({ model: 'demo', input })

const weatherTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Weather of a place',
  parameters: placeSchema,
  strict: true,
} as const satisfies OpenAI.Responses.FunctionTool

describe('responses are the same as from the vendor', () => {
  test('plain, and charged by its usage', async () => {
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).responses.create({ ...ask('What is 6 * 7?'), instructions: 'Be short.' }),
    )
    expect(through.output_text).toBe('6 * 7 = 42')
    const { input_tokens: input = 0, output_tokens: output = 0 } = through.usage ?? {}
    const record = await bench.record(through._request_id)
    expect(record).toMatchObject({ ending: 'complete', estimated: false })
    expect(record.amount_nano).toBe(input * 200 + output * 1600)
  })

  test('streamed: the events come to the final response', async () => {
    const { types, final } = await sameThroughGateway(bench, async (target) => {
      const stream = clientOf(target).responses.stream(ask('Count from 1 to 40.'))
      const types: string[] = []
      for await (const event of stream) types.push(event.type)
      return { types, final: await stream.finalResponse() }
    })
    expect(types[0]).toBe('response.created')
    expect(types.at(-1)).toBe('response.completed')
    expect(types.filter((type) => type === 'response.output_text.delta').length).toBeGreaterThan(9)
    expect(final.output_text).toEndWith('39, 40')
  })

  test('cut short by its limit', async () => {
    const { whole, streamed } = await sameThroughGateway(bench, async (target) => {
      const { responses } = clientOf(target)
      const body = { ...ask('Count from 1 to 40.'), max_output_tokens: 20 }
      const streamed = await responses.stream(body).finalResponse()
      return { whole: await responses.create(body), streamed }
    })
    expect([whole.status, streamed.status]).toEqual(['incomplete', 'incomplete'])
    const record = await bench.record(whole._request_id)
    expect(record).toMatchObject({ ending: 'incomplete', output_tokens: 20 })
  })

  test('a loop with parallel tools: calls, results, final answer', async () => {
    const { calls, final } = await sameThroughGateway(bench, async (target) => {
      const { responses } = clientOf(target)
      const tools = [weatherTool]
      const first = await responses.create({ ...ask('Weather in Paris and Oslo?'), tools })
      const calls = first.output.filter((item) => item.type === 'function_call')
      const results = calls.map(({ call_id }, index) => ({
        type: 'function_call_output' as const,
        call_id,
        output: `${10 + index} degrees`,
      }))
      const input = [
        { role: 'user' as const, content: 'Weather in Paris and Oslo?' },
        ...calls,
        ...results,
      ]
      return { calls, final: await responses.create({ model: 'demo', input, tools }) }
    })
    expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}'])
    expect(final.output_text).toBe('The tool says: 10 degrees; 11 degrees')
  })

  test.each([false, true])('the tool runner, streamed: %p', async (stream) => {
    const text = await sameThroughGateway(bench, async (target) => {
      const execute = ({ city }: Record<string, unknown>) => `sun in ${city}`
      const runner = new ResponsesToolRunner({ functions: [{ tool: weatherTool, execute }] })
      const final = await runner.run(clientOf(target), ask('Weather in Rome?'), { stream })
      return final.output_text
    })
    expect(text).toBe('The tool says: sun in Rome')
  })

  test('an image', async () => {
    const image_url = `data:image/png;base64,${pixel}`
    const through = await sameThroughGateway(bench, (target) =>
      clientOf(target).responses.create({
        model: 'demo',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'What is this?' },
              { type: 'input_image', image_url, detail: 'auto' },
            ],
          },
        ],
      }),
    )
    expect(through.output_text).toContain('image/png, 70 bytes')
  })

  test('structured output, parsed by the SDK', async () => {
    const parsed = await sameThroughGateway(bench, async (target) => {
      const { responses } = clientOf(target)
      const body = {
        ...ask('I live in Paris.'),
        text: { format: standardTextFormat(place, 'place') },
      }
      const streamed = await responses.stream(body).finalResponse()
      return [(await responses.parse(body)).output_parsed, streamed.output_parsed]
    })
    expect(parsed).toEqual([{ city: 'Paris' }, { city: 'Paris' }])
  })

  test('continued, fetched and deleted', async () => {
    const { next, fetched, gone } = await sameThroughGateway(bench, async (target) => {
      const { responses } = clientOf(target)
      const first = await responses.create({ ...ask('Say: first'), store: true })
      const next = await responses.create({ ...ask('Say: next'), previous_response_id: first.id })
      const fetched = await responses.retrieve(next.id)
      await responses.delete(next.id)
      const failure = await failureOf(() => responses.retrieve(next.id))
      const gone = failure instanceof OpenAI.NotFoundError && failure.message.split("'")[0]
      return { next, fetched, gone }
    })
    expect(fetched.output_text).toBe(next.output_text)
    expect(gone).toContain('404 Response with id')
  })
})

const reply = (id: string, text: string) => ({
  id,
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'pair',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
})

const events = (response: ReturnType<typeof reply>) => {
  const deltas = response.output[0]?.content[0]?.text.split(/(?= )/) ?? []
  const started = { ...response, status: 'in_progress', output: [], usage: null }
  const [item] = response.output
  const place = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    { type: 'response.created', response: started },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.content_part.added', ...place, part },
    ...deltas.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]
    .map((event, at) => ({ ...event, sequence_number: at }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

describe('what a channel has made stays with it', () => {
  /** The preferred channel fails once, so that the other makes the answer. */
  async function begin(id: string, stream: boolean) {
    const says = (name: string): FakeHandler => {
      return ({ method }) =>
        method === 'DELETE'
          ? jsonAnswer({ id, object: 'response', deleted: true })
          : jsonAnswer(reply(method === 'GET' ? id : `${id}_next`, `I am ${name}.`))
    }
    bench.fake.clear()
    bench.twin.clear()
    bench.fake.handle(() => jsonAnswer({ error: { message: 'Down.' } }, 500))
    const first = reply(id, 'I am twin.')
    bench.twin.handle(() => (stream ? sseAnswer(events(first)) : jsonAnswer(first)))
    const body = { model: 'pair', input: 'Who are you?' }
    const made = stream
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body)
    expect(made.output_text).toBe('I am twin.')
    bench.fake.handle(says('fake'))
    bench.twin.handle(says('twin'))
    bench.fake.clear()
    return made.id
  }

  test.each([
    ['resp_whole', false],
    ['resp_streamed', true],
  ])('%p is continued, fetched and deleted where it was made', async (id, stream) => {
    const previous_response_id = await begin(id, stream)
    const { responses } = client
    const next = await responses.create({ model: 'pair', input: 'And?', previous_response_id })
    expect(next.output_text).toBe('I am twin.')
    expect((await responses.retrieve(id)).output_text).toBe('I am twin.')
    await responses.delete(id)
    expect(bench.fake.requests).toHaveLength(0)
    const seen = bench.twin.requests.map(({ method, path }) => `${method} ${path}`)
    expect(seen.slice(1)).toEqual([
      'POST /v1/responses',
      `GET /v1/responses/${id}`,
      `DELETE /v1/responses/${id}`,
    ])
    // Without a reference the preferred channel answers.
    const fresh = await responses.create({ model: 'pair', input: 'Who are you?' })
    expect(fresh.output_text).toBe('I am fake.')
  })

  test('an answer made in the background is charged once, when it has ended', async () => {
    let status: 'queued' | 'completed' = 'queued'
    bench.fake.handle(() => jsonAnswer({ ...reply('resp_late', 'Done.'), status }))
    const before = await bench.records()
    const { responses } = client
    const made = await responses.create({ model: 'fake', input: 'Think long.', background: true })
    expect((await responses.retrieve(made.id)).status).toBe('queued')
    status = 'completed'
    for (const _ of [1, 2]) expect((await responses.retrieve(made.id)).output_text).toBe('Done.')
    const amounts = (await bench.records()).slice(before.length).map((one) => one.amount_nano)
    expect(amounts).toEqual([0, 10 * 800 + 5 * 1600])
  })

  test('nobody else finds it', async () => {
    const id = await begin('resp_mine', false)
    const stranger = clientOf({ url: bench.gateway.url, key: otherKey })
    for (const action of ['retrieve', 'delete'] as const) {
      const failure = await failureOf(() => stranger.responses[action](id))
      expect(failure).toBeInstanceOf(OpenAI.NotFoundError)
      expect((failure as Error).message).toBe("404 Response with id 'resp_mine' not found.")
    }
    const made = bench.twin.requests.length
    expect(made).toBe(1)
    expect((await client.responses.retrieve(id)).id).toBe(id)
  })
})

describe('errors are the SDK’s own', () => {
  const create = (model: string, key = testKey) =>
    clientOf({ url: bench.gateway.url, key }).responses.create({ ...ask('Hello'), model })

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
  })

  const halved = events(reply('resp_cut', 'Half an answer and no more'))

  test.each(stops)('a stream that %s fails after what was sent', async (_, how, message, model) => {
    bench.fake.handle(() => stopped(halved, 6, how))
    const { data, request_id } = await client.responses
      .create({ ...ask('Hello'), model, stream: true })
      .withResponse()
    let said = ''
    const failure = await failureOf(async () => {
      for await (const event of data) if ('delta' in event) said += event.delta
    })
    expect(said).toBe('Half an answer')
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect((failure as Error).message).toContain(message)
    expect(await bench.record(request_id)).toMatchObject({ ending: 'cut', estimated: true })
  })

  test.each(stops)(
    'the stream helper says so, too, when a stream %s',
    async (_, how, message, model) => {
      bench.fake.handle(() => stopped(halved, 6, how))
      const failure = await failureOf(() =>
        client.responses.stream({ ...ask('Hello'), model }).finalResponse(),
      )
      expect(failure).toBeInstanceOf(OpenAI.APIError)
      expect((failure as Error).message).toContain(message)
    },
  )

  test('a stream that the client aborts is recorded as left, and read to its end', async () => {
    const { data, request_id } = await client.responses
      .create({ ...ask('Count to 300.'), stream: true })
      .withResponse()
    let seen = 0
    for await (const _ of data) if (++seen === 9) data.controller.abort()
    const record = await bench.record(request_id)
    expect(record).toMatchObject({ ending: 'client_left', estimated: false })
    expect(record.output_tokens).toBeGreaterThan(300)
  })
})
