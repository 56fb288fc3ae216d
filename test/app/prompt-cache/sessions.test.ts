import { describe, expect, test } from 'bun:test'
import {
  type Body,
  createPromptCache,
  type InputUsage,
  startCachingUpstream,
} from '../../support/caching-upstream.ts'
import { type Running, startServing } from '../serving.ts'
import { type Agent, chatAgent, geminiAgent, responsesAgent } from './agents.ts'

/*
 * Coding agents of three protocols on a channel that speaks messages, whose upstream keeps prompts by
 * Anthropic's rules. The clients know nothing of them.
 */

const model = 'test-model'
const turns = 15
/** In this turn the model calls so many tools at once that more is added than the vendor looks back. */
const busyTurn = 6
const callsAtOnce = 14
/** Prices in USD per 1M tokens. */
const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 }

/** What the model says: it thinks, tells what it does, and calls tools. */
function answer({ messages }: Body) {
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const calls = turn % 8 === busyTurn ? callsAtOnce : 1 + (turn % 2)
  return [
    { type: 'thinking', thinking: `What next, in turn ${turn}?`, signature: `signed ${turn}` },
    { type: 'text', text: `I look at file ${turn}.` },
    ...Array.from({ length: calls }, (_, at) => ({
      ...{ type: 'tool_use', id: `toolu_${turn}_${at}`, name: 'read_file' },
      input: { path: `src/file-${turn}-${at}.ts` },
    })),
  ]
}

interface Played {
  readonly inputs: readonly InputUsage[]
  readonly receipts: readonly Record<string, unknown>[]
}

async function play(agent: Agent, channel: object = {}): Promise<Played> {
  const cache = createPromptCache(1024, () => 0)
  await using caching = startCachingUpstream(cache, answer)
  await using running = await startServing({
    ...{ upstream: caching.upstream.url, speaks: ['messages'], channel, balance: 10_000 },
    models: [{ id: model, upstream: 'claude-sonnet-4-5' }],
    prices: { [model]: price },
  })
  const receipts: Record<string, unknown>[] = []
  for (let turn = 0; turn < turns; turn++) receipts.push(await takeTurn(running, agent))
  return { inputs: [...caching.inputs], receipts }
}

async function takeTurn(running: Running, agent: Agent): Promise<Record<string, unknown>> {
  const got = await running.ask(agent.path, agent.body())
  const said = await got.json()
  expect([got.status, said]).toEqual([200, expect.anything()])
  const calls = agent.heard(said)
  expect(calls.length).toBeGreaterThan(0)
  const lines = Math.ceil(8 / calls.length)
  agent.did(calls.map((call) => ({ ...call, text: `const wrold = '${call.id}'\n`.repeat(lines) })))
  const id = got.headers.get('x-request-id')
  return (await running.get(`/v1/receipts/${id}`)) as Record<string, unknown>
}

const wholeOf = (usage: InputUsage) =>
  usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens

const agents = [chatAgent, responsesAgent, geminiAgent].map((make) => ({
  name: make(model).name,
  make,
}))

describe('R8: in a session of 15 turns with tools', () => {
  test.each(agents)(
    'a client of $name reads all that was sent before from the cache',
    async ({ make }) => {
      const { inputs } = await play(make(model))
      expect(inputs.length).toBe(turns)
      const told = inputs.map((usage, turn) => {
        const before = inputs[turn - 1]
        const share = usage.cache_read_input_tokens / wholeOf(usage)
        const isAll = before === undefined || usage.cache_read_input_tokens === wholeOf(before)
        return { turn, isAll, isMost: turn === 0 || share >= 0.9, rest: usage.input_tokens }
      })
      expect(told).toEqual(told.map(({ turn }) => ({ turn, isAll: true, isMost: true, rest: 0 })))
      const blocks = 2 * callsAtOnce
      expect(blocks).toBeGreaterThan(20)
    },
  )

  test('a channel that is to get no marks is told none', async () => {
    const { inputs } = await play(chatAgent(model), { quirks: ['no_cache_control'] })
    expect(
      inputs.every(
        ({ input_tokens }, turn) => input_tokens === wholeOf(inputs[turn] as InputUsage),
      ),
    ).toBeTrue()
  })

  test('the receipt shows what was written and read, and charges each at its price', async () => {
    const { inputs, receipts } = await play(chatAgent(model))
    const shown = receipts.map(({ cache_read_tokens, cache_write_tokens, amount_nano }) => [
      ...[cache_read_tokens, cache_write_tokens, Number(amount_nano)],
    ])
    expect(shown).toEqual(
      inputs.map(
        ({ input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written }) => [
          ...[read, written, input_tokens * 3000 + read * 300 + written * 3750 + 50 * 15_000],
        ],
      ),
    )
    expect(inputs.at(-1)?.cache_read_input_tokens).toBeGreaterThan(5000)
  })
})

test('a question that nobody goes on with is not written to the cache', async () => {
  const cache = createPromptCache(1024, () => 0)
  await using caching = startCachingUpstream(cache, () => [{ type: 'text', text: 'Hello.' }])
  await using running = await startServing({
    ...{ upstream: caching.upstream.url, speaks: ['messages'] },
    models: [{ id: model, upstream: 'claude-sonnet-4-5' }],
  })
  const long = 'A question with much to read. '.repeat(1_000)
  const asked = { model, messages: [{ role: 'user', content: long }] }
  expect((await running.ask('/v1/chat/completions', asked)).status).toBe(200)
  const [usage] = caching.inputs
  expect(usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 })
  expect(usage?.input_tokens).toBeGreaterThan(5_000)
})
