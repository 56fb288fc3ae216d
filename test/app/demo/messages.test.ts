import { afterAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { startDemoUpstream } from '../../../src/app/demo/upstream.ts'
import { errorOf, png, weatherSchema } from './cases.ts'

const upstream = startDemoUpstream({ paceMs: 0 })
afterAll(upstream.stop)
const client = new Anthropic({
  apiKey: 'any',
  baseURL: upstream.url,
  maxRetries: 0,
})
const base = { model: 'demo', max_tokens: 500 }
const user = (content: Anthropic.MessageParam['content']) => [{ role: 'user' as const, content }]
const tools = [{ name: 'get_weather', description: 'Weather', input_schema: weatherSchema }]
const textOf = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')

test('answers the question and counts the input as count_tokens does', async () => {
  const question = {
    messages: user('Say guten Tag'),
    system: 'Be brief.',
    tools,
  }
  const message = await client.messages.create({ ...base, ...question })
  expect(textOf(message)).toBe('guten Tag')
  expect(message.stop_reason).toBe('end_turn')
  const counted = await client.messages.countTokens({
    model: 'demo',
    ...question,
  })
  expect(counted.input_tokens).toBe(message.usage.input_tokens)
})

test('streams events that the SDK folds into the same message', async () => {
  const messages = user('count to 50')
  const plain = await client.messages.create({ ...base, messages })
  const parts: string[] = []
  const stream = client.messages
    .stream({ ...base, messages })
    .on('text', (part) => void parts.push(part))
  const final = await stream.finalMessage()
  expect(parts.length).toBeGreaterThan(5)
  expect<unknown>(final.content).toEqual(plain.content)
  expect(final.usage).toEqual(plain.usage)
})

test('calls a tool, streamed, and uses its result', async () => {
  const messages: Anthropic.MessageParam[] = user('What is the weather in Lima and Cusco?')
  const asked = await client.messages.stream({ ...base, messages, tools }).finalMessage()
  expect(asked.stop_reason).toBe('tool_use')
  const calls = asked.content.filter((block) => block.type === 'tool_use')
  expect(calls.map((call) => call.input)).toEqual([
    { city: 'Lima', unit: 'celsius' },
    { city: 'Cusco', unit: 'celsius' },
  ])
  messages.push({ role: 'assistant', content: asked.content })
  const results = calls.map((call) => ({
    type: 'tool_result' as const,
    tool_use_id: call.id,
    content: `rain for ${call.id.slice(0, 5)}`,
  }))
  messages.push({ role: 'user', content: results })
  const final = await client.messages.create({ ...base, messages, tools })
  expect(textOf(final)).toBe('The tool says: rain for toolu; rain for toolu')
})

test('says which image it received, answers in a schema, stops where it must', async () => {
  const source = {
    type: 'base64' as const,
    media_type: 'image/png' as const,
    data: png.toString('base64'),
  }
  const seen = await client.messages.create({
    ...base,
    messages: user([{ type: 'image', source }]),
  })
  expect(textOf(seen)).toContain(`image/png, ${png.length} bytes`)

  const shaped = await client.messages.create({
    ...base,
    messages: user('in Accra'),
    output_config: { format: { type: 'json_schema', schema: weatherSchema } },
  })
  expect(JSON.parse(textOf(shaped))).toEqual({
    city: 'Accra',
    unit: 'celsius',
  })

  const messages = user('count to 100')
  const short = await client.messages.create({
    ...base,
    max_tokens: 3,
    messages,
  })
  expect([short.stop_reason, short.usage.output_tokens]).toEqual(['max_tokens', 3])
  const cut = await client.messages.create({
    ...base,
    messages,
    stop_sequences: [', 3'],
  })
  expect([cut.stop_reason, cut.stop_sequence]).toEqual(['stop_sequence', ', 3'])
  expect(textOf(cut)).toBe('1, 2')
})

test('caches only a beginning that is marked, and counts it beside the input', async () => {
  const ask = async (ttl?: '5m' | '1h') => {
    const cache_control = { type: 'ephemeral' as const, ...(ttl && { ttl }) }
    const system = [
      {
        type: 'text' as const,
        text: `${ttl} rule `.repeat(1500),
        cache_control,
      },
    ]
    return (await client.messages.create({ ...base, system, messages: user('hello') })).usage
  }
  const [first, second, hour] = [await ask('5m'), await ask('5m'), await ask('1h')]
  expect(first.cache_read_input_tokens).toBe(0)
  expect(first.cache_creation_input_tokens).toBeGreaterThanOrEqual(1024)
  expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens)
  expect(second.input_tokens).toBe(first.input_tokens)
  expect(hour.cache_creation?.ephemeral_1h_input_tokens).toBeGreaterThanOrEqual(1024)
  expect(hour.cache_creation?.ephemeral_5m_input_tokens).toBe(0)
})

test('lets the tool runner of the SDK finish: it replays a thread that is not kept', async () => {
  const tool = betaTool({
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => `fog in ${city}`,
  })
  const final = await client.beta.messages.toolRunner({
    ...base,
    messages: user('Weather in Turin?'),
    tools: [tool],
  })
  expect(final.content[0]).toMatchObject({ type: 'text', text: 'The tool says: fog in Turin' })
})

test('fails on request with the error that the SDK knows', async () => {
  const ask = (model: string) => client.messages.create({ ...base, model, messages: user('hello') })
  expect(await errorOf(ask('error-429'))).toBeInstanceOf(Anthropic.RateLimitError)
  expect(await errorOf(ask('error-500'))).toBeInstanceOf(Anthropic.InternalServerError)
  expect(await errorOf(ask('error-401'))).toBeInstanceOf(Anthropic.AuthenticationError)
})
