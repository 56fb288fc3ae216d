import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { startDemoUpstream } from '../../src/app/demo/upstream.ts'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'

// The compiled program: vendors' SDKs where only a channel of another kind is, and by country.

const demo = startDemoUpstream({ paceMs: 2 })
const farKey = 'sk-reach-far-0123456789abcdef'
let gateway: RunningBinary
let openai: OpenAI

beforeAll(async () => {
  const channel = (name: string, speaks: object) => ({
    ...{ name, speaks, api_key: 'any', allow_private: true },
    models: [
      { id: name, upstream: 'demo' },
      { id: `${name}-vectors`, upstream: 'demo-embedding' },
    ],
  })
  const price = { input: 1, output: 2 }
  gateway = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: demo.url },
        server: { trusted_proxies: ['127.0.0.1'] },
        settings: { country_header: 'CF-IPCountry' },
        group: { channels: ['main', 'chat', 'gemini'] },
        moreChannels: [
          channel('chat', { chat: `${demo.url}/v1` }),
          channel('gemini', { gemini: demo.url }),
        ],
        moreGroups: [{ name: 'far', channels: ['chat'], regions: { deny: ['RU'] } }],
        moreAccounts: [
          {
            ...{ email: 'far@example.com', balance: 1 },
            tokens: [{ name: 'far', key: farKey, group: 'far' }],
          },
        ],
        prices: {
          ...{ chat: price, gemini: price },
          ...{ 'chat-vectors': price, 'gemini-vectors': price },
        },
      }),
  })
  openai = new OpenAI({ apiKey: testKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.stop()
  demo.stop()
})

test.each(['chat', 'gemini'])('legacy completions, whole and streamed, on %s', async (model) => {
  const asked = { model, prompt: 'What is 6 * 7?', max_tokens: 100 }
  const whole = await openai.completions.create(asked)
  expect([whole.object, whole.choices[0]?.text]).toEqual(['text_completion', '6 * 7 = 42'])
  const stream = await openai.completions.create({ ...asked, stream: true })
  const pieces = await Array.fromAsync(stream)
  expect(pieces.map(({ choices }) => choices[0]?.text).join('')).toBe('6 * 7 = 42')
})

test('vectors are the same by both protocols, on channels of either', async () => {
  const google = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
  const input = ['a cat', 'a dog']
  const found: (number[] | undefined)[][] = []
  for (const model of ['chat-vectors', 'gemini-vectors']) {
    const asked = await openai.embeddings.create({ model, input, dimensions: 16 })
    const config = { outputDimensionality: 16 }
    const other = await google.models.embedContent({ model, contents: input, config })
    found.push(
      asked.data.map(({ embedding }) => embedding),
      other.embeddings?.map(({ values }) => values) ?? [],
    )
  }
  expect(found[0]?.[0]).toHaveLength(16)
  for (const vectors of found) expect(vectors).toEqual(found[0] ?? [])
})

test('a group answers by the country that a trusted proxy tells', async () => {
  const from = async (country: string) => {
    const headers = { authorization: `Bearer ${farKey}`, 'cf-ipcountry': country }
    const answer = await fetch(`${gateway.url}/v1/models`, { headers })
    return [answer.status, answer.headers.get('x-tollgate-reason')]
  }
  expect(await from('DE')).toEqual([200, null])
  expect(await from('RU')).toEqual([403, 'region_restricted'])
})
