import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { dialects } from '../../e2e/dialects.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { usual } from '../clocked.ts'
import { type Running, startServing } from '../serving.ts'

// What an upstream of another protocol is sent for a client that speaks messages, as Claude Code does.

type Name = 'chat' | 'responses' | 'messages' | 'gemini'
type Json = Record<string, unknown>

let upstream: FakeUpstream
const running = new Map<string, Running>()

const channels = {
  chat: {},
  responses: {},
  messages: {},
  gemini: {},
  openai: { quirks: ['prompt_cache_key'] },
  unverified: { quirks: ['no_reasoning_summary', 'no_prompt_cache_key'] },
} as const
const protocolOf = (name: string): Name =>
  name === 'openai' ? 'chat' : name === 'unverified' ? 'responses' : (name as Name)

beforeAll(async () => {
  upstream = startFakeUpstream(() => jsonAnswer({}))
  for (const [name, channel] of Object.entries(channels)) {
    const speaks = [protocolOf(name)]
    const models = ['gpt-5.1', 'claude-sonnet-4-5', 'claude-opus-4-8'].map((id) => ({
      ...{ id, upstream: name === 'gemini' ? 'gemini-3-flash-preview' : id },
    }))
    running.set(name, await startServing({ upstream: upstream.url, speaks, channel, models }))
  }
})
afterAll(async () => {
  for (const one of running.values()) await one[Symbol.asyncDispose]()
  await upstream.stop()
})
beforeEach(() => upstream.clear())

const tools = [{ name: 'Read', description: 'Reads', input_schema: { type: 'object' } }]
const session = { metadata: { user_id: JSON.stringify({ session_id: '3d', account_uuid: 'me' }) } }
const asked = (more: Json = {}): Json => ({
  ...{ model: 'gpt-5.1', max_tokens: 2_000, tools, ...session },
  messages: [{ role: 'user', content: 'Mend my file.' }],
  ...more,
})

/** The body that an upstream gets. */
async function sent(channel: string, body: Json, headers: object = {}): Promise<Json> {
  upstream.handle(() => jsonAnswer(dialects[protocolOf(channel)].body(usual)))
  const got = await running.get(channel)?.ask('/v1/messages', body, undefined, headers)
  expect([got?.status, got?.status === 200 ? '' : await got?.text()]).toEqual([200, ''])
  return upstream.last().json() as Json
}

describe('the key of the prompt cache', () => {
  test.each(['responses', 'openai'])(
    'is made for %s, and says nothing of the account',
    async (channel) => {
      const { prompt_cache_key: key } = await sent(channel, asked())
      expect(key).toMatch(/^[\w-]{43}$/)
      const { prompt_cache_key: later } = await sent(channel, asked({ system: 'Another.' }))
      expect(later).toBe(key)
      expect(upstream.last().text()).not.toContain('user@example.com')
      const { prompt_cache_key: other } = await sent(channel, asked({ metadata: {} }))
      expect(other).toMatch(/^[\w-]{43}$/)
      expect(other).not.toBe(key)
    },
  )

  test('is made for clients of gemini, too', async () => {
    upstream.handle(() => jsonAnswer(dialects.responses.body(usual)))
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Mend my file.' }] }],
      tools: [{ functionDeclarations: [{ name: 'read' }] }],
    }
    await running.get('responses')?.ask('/v1beta/models/gpt-5.1:generateContent', body)
    expect(upstream.last().json()).toMatchObject({ prompt_cache_key: expect.any(String) })
  })

  test.each(['chat', 'unverified', 'gemini'])('is not made for %s', async (channel) => {
    await sent(channel, asked())
    expect(upstream.last().text()).not.toContain('prompt_cache_key')
  })
})

describe('the line of billing', () => {
  const system = (hash: string) => [
    { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${hash};` },
    { type: 'text', text: 'You are Claude Code.' },
  ]

  test.each(['chat', 'responses', 'gemini'])(
    'does not reach %s, so that prompts begin alike',
    async (channel) => {
      const plain = { metadata: {} }
      await sent(channel, asked({ system: system('a1b2c'), ...plain }), {
        'x-tollgate-strict': 'true',
      })
      const first = upstream.last().text()
      await sent(channel, asked({ system: system('d3e4f'), ...plain }))
      expect(upstream.last().text()).toBe(first)
      expect(first).toContain('You are Claude Code.')
      expect(first).not.toContain('billing')
    },
  )

  test('reaches its own vendor, and nothing else changes either', async () => {
    const body = asked({ system: system('a1b2c') })
    expect(await sent('messages', body)).toEqual(body)
  })
})

describe('reasoning that is asked for, without a word of showing it', () => {
  const adaptive = { thinking: { type: 'adaptive' } }
  const shown = {
    responses: { reasoning: { summary: 'auto' } },
    gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  }

  test.each(['responses', 'gemini'] as const)(
    'is shown on %s, as its vendor would',
    async (channel) => {
      const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
      for (const thinking of [adaptive, budget]) {
        for (const model of ['gpt-5.1', 'claude-sonnet-4-5']) {
          expect(await sent(channel, asked({ model, ...thinking }))).toMatchObject(shown[channel])
        }
      }
    },
  )

  test.each(['responses', 'gemini'] as const)(
    'is not on %s where the vendor would not',
    async (channel) => {
      const quiet = [
        asked({ model: 'claude-opus-4-8', ...adaptive }),
        asked({ thinking: { type: 'adaptive', display: 'omitted' } }),
        asked({ thinking: { type: 'disabled' } }),
        asked({ output_config: { effort: 'high' } }),
        asked(),
      ]
      for (const body of quiet) {
        const text = JSON.stringify(await sent(channel, body))
        expect(text).not.toMatch(/"summary"|"includeThoughts":true/)
      }
    },
  )

  test('is not asked for where that is refused; whoever asks for it is told', async () => {
    const { reasoning } = await sent('unverified', asked(adaptive))
    expect(reasoning).toBeUndefined()
    const loud = asked({ thinking: { type: 'adaptive', display: 'summarized' } })
    const got = await running.get('unverified')?.ask('/v1/messages', loud)
    expect(got?.headers.get('x-tollgate-dropped')).toBe('thinking.display')
    expect(upstream.last().text()).not.toContain('"summary"')
  })
})
