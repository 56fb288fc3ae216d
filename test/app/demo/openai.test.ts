import { afterAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { startDemoUpstream } from '../../../src/app/demo/upstream.ts'
import { errorOf, isPng, png, weatherSchema } from './cases.ts'

const upstream = startDemoUpstream({ paceMs: 0 })
afterAll(upstream.stop)
const client = new OpenAI({
  apiKey: 'any',
  baseURL: `${upstream.url}/v1`,
  maxRetries: 0,
})
const model = 'demo'
const user = (content: string) => [{ role: 'user' as const, content }]
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: weatherSchema,
  },
}

describe('chat', () => {
  test('answers the question, with a usage that adds up', async () => {
    const answer = await client.chat.completions.create({
      model,
      messages: user('What is 17*23?'),
    })
    expect(answer.choices[0]?.message.content).toBe('17*23 = 391')
    expect(answer.choices[0]?.finish_reason).toBe('stop')
    const usage = answer.usage
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0))
    expect(usage?.prompt_tokens).toBeGreaterThan(0)
  })

  test('streams the same text in parts, and usage only when it is asked for', async () => {
    const messages = user('count to 40')
    const plain = await client.chat.completions.create({ model, messages })
    for (const counted of [false, true]) {
      const options = counted ? { stream_options: { include_usage: true } } : {}
      const stream = await client.chat.completions.create({
        model,
        messages,
        stream: true,
        ...options,
      })
      const chunks = await Array.fromAsync(stream)
      const texts = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '')
      expect(texts.join('')).toBe(plain.choices[0]?.message.content ?? 'nothing')
      expect(texts.filter(Boolean).length).toBeGreaterThan(5)
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
      expect(chunks.at(-1)?.usage ?? undefined).toEqual(counted ? plain.usage : undefined)
    }
  })

  test('calls a tool for each place, then uses the results', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = user('Weather in Paris and New York?')
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools: [weatherTool],
    })
    const asked = (await stream.finalChatCompletion()).choices[0]
    expect(asked?.finish_reason).toBe('tool_calls')
    const calls = asked?.message.tool_calls ?? []
    const inputs = calls.map((call) => call.type === 'function' && call.function.arguments)
    expect(inputs).toEqual([
      '{"city":"Paris","unit":"celsius"}',
      '{"city":"New York","unit":"celsius"}',
    ])
    messages.push({ role: 'assistant', tool_calls: calls })
    for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: '18 °C' })
    const final = await client.chat.completions.create({
      model,
      messages,
      tools: [weatherTool],
    })
    expect(final.choices[0]?.message.content).toBe('The tool says: 18 °C; 18 °C')
  })

  test('calls a forced tool, whatever the question, and none when none is wanted', async () => {
    const ask = (tool_choice: OpenAI.ChatCompletionToolChoiceOption, question: string) =>
      client.chat.completions.create({
        model,
        messages: user(question),
        tools: [weatherTool],
        tool_choice,
      })
    const forced = {
      type: 'function' as const,
      function: { name: 'get_weather' },
    }
    expect((await ask(forced, 'hello')).choices[0]?.message.tool_calls).toHaveLength(1)
    expect((await ask('required', 'hello')).choices[0]?.message.tool_calls).toHaveLength(1)
    expect((await ask('auto', 'hello')).choices[0]?.message.tool_calls).toBeUndefined()
    expect((await ask('none', 'weather?')).choices[0]?.message.tool_calls).toBeUndefined()
  })

  test('says which image it received', async () => {
    const image_url = {
      url: `data:image/png;base64,${png.toString('base64')}`,
    }
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    })
    expect(answer.choices[0]?.message.content).toContain(`image/png, ${png.length} bytes`)
  })

  test('answers an object of the schema', async () => {
    const answer = await client.chat.completions.parse({
      model,
      messages: user('Weather in Oslo: 7'),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'weather', strict: true, schema: weatherSchema },
      },
    })
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({
      city: 'Oslo',
      unit: 'celsius',
    })
  })

  test('stops at the limit of tokens and at a stop sequence', async () => {
    const messages = user('count to 100')
    const short = await client.chat.completions.create({
      model,
      messages,
      max_tokens: 7,
    })
    expect(short.choices[0]?.finish_reason).toBe('length')
    expect(short.usage?.completion_tokens).toBe(7)
    const stopped = await client.chat.completions.create({
      model,
      messages,
      stop: [', 4'],
    })
    expect(stopped.choices[0]?.message.content).toBe('1, 2, 3')
  })

  test('reports a long beginning as cached when it comes again with the same key', async () => {
    const ask = async (apiKey: string, question: string) => {
      const messages = [
        { role: 'system' as const, content: 'rule '.repeat(2000) },
        ...user(question),
      ]
      const answer = await client
        .withOptions({ apiKey })
        .chat.completions.create({ model, messages })
      return answer.usage?.prompt_tokens_details?.cached_tokens
    }
    expect(await ask('one', 'hello')).toBe(0)
    expect(await ask('one', 'something else')).toBe(1920)
    expect(await ask('two', 'hello')).toBe(0)
  })
})

describe('responses', () => {
  test('answers, keeps the answer, continues it and deletes it', async () => {
    const first = await client.responses.create({
      model,
      input: 'Say hello there',
    })
    expect(first.output_text).toBe('hello there')
    expect((await client.responses.retrieve(first.id)).output_text).toBe('hello there')
    const next = await client.responses.create({
      model,
      input: '6+7',
      previous_response_id: first.id,
    })
    expect(next.output_text).toBe('6+7 = 13')
    expect(next.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Infinity)
    await client.responses.delete(first.id)
    expect(await errorOf(client.responses.retrieve(first.id))).toBeInstanceOf(OpenAI.NotFoundError)
  })

  test('streams events that the SDK folds into the whole response', async () => {
    const events: string[] = []
    const stream = client.responses.stream({ model, input: 'count to 30' })
    stream.on('event', (event) => events.push(event.type))
    const final = await stream.finalResponse()
    expect(final.status).toBe('completed')
    expect(final.output_text.endsWith('29, 30')).toBeTrue()
    expect(events[0]).toBe('response.created')
    expect(events.filter((type) => type === 'response.output_text.delta').length).toBeGreaterThan(5)
    expect(events.at(-1)).toBe('response.completed')
  })

  test('calls a tool, streamed, and uses its result through previous_response_id', async () => {
    const tools = [
      {
        type: 'function' as const,
        name: 'get_weather',
        parameters: weatherSchema,
        strict: true,
      },
    ]
    const stream = client.responses.stream({
      model,
      input: 'Weather in Rome?',
      tools,
    })
    const asked = await stream.finalResponse()
    const call = asked.output[0]
    if (call?.type !== 'function_call') throw new Error(`no call but ${call?.type}`)
    expect(JSON.parse(call.arguments)).toEqual({
      city: 'Rome',
      unit: 'celsius',
    })
    const final = await client.responses.create({
      model,
      previous_response_id: asked.id,
      input: [
        {
          type: 'function_call_output',
          call_id: call.call_id,
          output: 'sunny',
        },
      ],
      tools,
    })
    expect(final.output_text).toBe('The tool says: sunny')
  })

  test('is incomplete at the limit of tokens; takes images and schemas', async () => {
    const short = await client.responses.create({
      model,
      input: 'count to 99',
      max_output_tokens: 5,
    })
    expect(short.status).toBe('incomplete')
    expect(short.incomplete_details?.reason).toBe('max_output_tokens')
    const image_url = `data:image/png;base64,${png.toString('base64')}`
    const seen = await client.responses.create({
      model,
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url, detail: 'auto' }],
        },
      ],
    })
    expect(seen.output_text).toContain(`image/png, ${png.length} bytes`)
    const format = {
      type: 'json_schema' as const,
      name: 'weather',
      schema: weatherSchema,
    }
    const shaped = await client.responses.parse({
      model,
      input: 'in Bonn',
      text: { format },
    })
    expect(JSON.parse(shaped.output_text)).toEqual({
      city: 'Bonn',
      unit: 'celsius',
    })
  })
})

describe('embeddings and images', () => {
  test('embeds the same as floats and as base64; related texts lie closer', async () => {
    const input = ['the cat sat', 'a cat sat down', 'quarterly tax report']
    const floats = await client.embeddings.create({
      model,
      input,
      encoding_format: 'float',
    })
    // The SDK asks for base64 by itself and decodes it.
    const decoded = await client.embeddings.create({ model, input })
    expect(decoded.data.map((one) => one.embedding)).toEqual(
      floats.data.map((one) => one.embedding),
    )
    const [cat, alike, other] = floats.data.map((one) => one.embedding)
    const near = (left: number[] = [], right: number[] = []) =>
      left.reduce((sum, one, at) => sum + one * (right[at] ?? 0), 0)
    expect(near(cat, alike)).toBeGreaterThan(near(cat, other))
    expect(near(cat, cat)).toBeCloseTo(1, 5)
    const small = await client.embeddings.create({
      model,
      input: 'x',
      dimensions: 8,
    })
    expect(small.data[0]?.embedding).toHaveLength(8)
  })

  test('paints PNG files', async () => {
    const made = await client.images.generate({
      model,
      prompt: 'a red square',
      n: 2,
    })
    const files = made.data?.map((one) => Buffer.from(one.b64_json ?? '', 'base64')) ?? []
    expect(files).toHaveLength(2)
    expect(files.every(isPng)).toBeTrue()
    expect(made.usage?.output_tokens).toBeGreaterThan(0)
  })
})

test('fails on request with the error that the SDK knows', async () => {
  const ask = (name: string, content: string) =>
    client.chat.completions.create({ model: name, messages: user(content) })
  expect(await errorOf(ask('gpt-error-429', 'hello'))).toBeInstanceOf(OpenAI.RateLimitError)
  expect(await errorOf(ask('gpt-error-500', 'hello'))).toBeInstanceOf(OpenAI.InternalServerError)
  expect(await errorOf(ask('gpt-error-400', 'hello'))).toBeInstanceOf(OpenAI.BadRequestError)
  expect(await errorOf(ask(model, 'please fail with 429'))).toBeInstanceOf(OpenAI.RateLimitError)
  const response = await fetch(`${upstream.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{}',
  })
  expect(response.status).toBe(401)
})
