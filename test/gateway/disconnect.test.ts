import { describe, expect, test } from 'bun:test'
import { showsAll } from '../../src/gateway/relay/disconnect.ts'
import { createObservation } from '../../src/protocols/canonical/observation.ts'
import { emptyUsage } from '../../src/protocols/canonical/usage.ts'
import { createExchange } from './exchange-parts.ts'
import { protocols } from './relay-scene.ts'

// Whether the upstream of a client that leaves may be stopped before it has told any usage: only where
// all of the input can be counted here. No model here reasons.

type Name = keyof typeof protocols

async function isCountable(name: Name, body: object): Promise<boolean> {
  const asked = name === 'gemini' ? { ...body } : { model: 'm', stream: true, ...body }
  const { exchange } = await createExchange({ ...protocols[name], body: asked })
  // Gemini's path says so.
  if (exchange.facts) exchange.facts = { ...exchange.facts, stream: true }
  return showsAll(exchange, createObservation())
}

const chatOf = (content: unknown, more: object = {}) =>
  ({ messages: [{ role: 'user', content }], ...more }) as const
const english = 'the quick brown fox jumps over the lazy dog and runs away from all of it again. '
const long = english.repeat(1_600)
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`property_${at}`, { type: 'string' }]),
  ),
}
const talk = Array.from({ length: 60 }, (_, at) => ({
  role: at % 2 ? 'assistant' : 'user',
  content: `${at}: ${english}${english}`,
}))
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
}
const result = { role: 'tool', tool_call_id: 'call_1', content: english }
const toolUse = (input: object) => ({ type: 'tool_use', id: 'toolu_1', name: 'f', input })
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }

describe('what honest clients send can be counted', () => {
  const cases: readonly (readonly [string, Name, object])[] = [
    ['a short question', 'chat', chatOf('hello')],
    ['a long question', 'chat', chatOf(long)],
    ['a long question in Chinese', 'chat', chatOf('你好，世界。'.repeat(15_000))],
    ['code, with its line ends and quotes', 'chat', chatOf('  say("hello")\n'.repeat(5_000))],
    ['a long talk', 'chat', { messages: talk }],
    ['tools', 'chat', chatOf('hello', { tools: Array.from({ length: 20 }, () => tool) })],
    ['calls and their results', 'chat', { messages: [...talk, call, result] }],
    [
      'a schema of the answer',
      'chat',
      chatOf('hello', { response_format: { type: 'json_schema', json_schema: { schema } } }),
    ],
    ['a schema', 'responses', { input: 'hi', text: { format: { type: 'json_schema', schema } } }],
    ['a schema', 'messages', chatOf('hi', { output_config: { format: { schema } } })],
    [
      'a schema',
      'gemini',
      { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { responseJsonSchema: schema } },
    ],
    ['a question', 'gemini', { contents: [{ role: 'user', parts: [{ text: long }] }] }],
    [
      'a question',
      'responses',
      { input: [{ role: 'user', content: [{ type: 'input_text', text: long }] }] },
    ],
    ['a call', 'messages', chatOf([toolUse({ url: english.repeat(90), data: [1, 2] })])],
    [
      'a call',
      'gemini',
      { contents: [{ parts: [{ functionCall: { name: 'f', args: { id: long } } }] }] },
    ],
  ]

  test.each(cases)('%s (%s)', async (_, name, body) => {
    expect(await isCountable(name, body)).toBeTrue()
  })
})

describe('what is not wholly known text can’t', () => {
  const many = Array.from({ length: 1_000 }, () => toolUse({}))
  const cases: readonly (readonly [string, Name, object])[] = [
    ['more text than is looked at', 'chat', chatOf(`${long}${'ᚠᛇᚻ'.repeat(9_000)}`)],
    ['a document by address', 'chat', chatOf([{ type: 'document_url', document_url: 'u' }])],
    ['a picture', 'chat', chatOf([{ type: 'image_url', image_url: { url: 'u' } }])],
    ['a kind of tomorrow', 'chat', chatOf([{ type: 'hologram', text: 'hi' }])],
    ['text that looks like media', 'chat', chatOf(`data:a;base64,${english.repeat(90)}`)],
    ['much in the names of a schema', 'chat', chatOf('hi', { response_format: { schema } })],
    ['a note of many words', 'chat', chatOf('hi', { metadata: { note: english.repeat(90) } })],
    ['very many calls without a word', 'messages', chatOf(many)],
    ['a small file', 'messages', chatOf([{ type: 'document', source: pdf }])],
    ['sealed thoughts', 'messages', chatOf([{ type: 'redacted_thinking', data: long }])],
    ['sealed reasoning', 'responses', { input: [{ type: 'reasoning', encrypted_content: long }] }],
    ['a film', 'gemini', { contents: [{ parts: [{ fileData: { fileUri: 'u' } }] }] }],
  ]

  test.each(cases)('%s (%s)', async (_, name, body) => {
    expect(await isCountable(name, body)).toBeFalse()
  })

  test('what is written to a prompt cache at more than the price of input', async () => {
    const base = { input: 3_000, output: 15_000, cacheRead: 300 }
    const showsAt = async (name: Name, cacheWrite: number | null, cacheWrite1h?: number) => {
      const rates = { ...base, cacheWrite, cacheWrite1h: cacheWrite1h ?? null }
      const terms = { unit: 'tokens', base: rates, tiers: [] } as const
      const body = { model: 'm', stream: true, ...chatOf('hello') }
      const { exchange } = await createExchange({ ...protocols[name], body, terms })
      return showsAll(exchange, createObservation())
    }
    expect(await showsAt('messages', 3_750)).toBeFalse()
    expect(await showsAt('messages', null)).toBeTrue()
    expect(await showsAt('chat', 3_750)).toBeFalse()
    expect(await showsAt('chat', null)).toBeTrue()
    expect(await showsAt('messages', 3_000, 6_000)).toBeFalse()
    expect(await showsAt('messages', 3_000, 3_000)).toBeTrue()
  })

  test('until the upstream tells what its input was', async () => {
    const { exchange } = await createExchange({
      ...protocols.messages,
      body: { model: 'm', stream: true, ...chatOf([{ type: 'document', source: pdf }]) },
    })
    const seen = createObservation()
    expect(showsAll(exchange, seen)).toBeFalse()
    expect(showsAll(exchange, { ...seen, usage: emptyUsage })).toBeTrue()
  })
})
