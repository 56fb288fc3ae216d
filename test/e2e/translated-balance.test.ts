import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import type { RunningBinary } from '../support/binary.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { ask, requestIdOf } from './caller.ts'
import { dialects, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'
import { startTalker } from './talker.ts'
import {
  dialectOf,
  geminiArray,
  keyOn,
  type Pair,
  pairs,
  spoken,
  startTranslating,
  violations,
  wantsStream,
} from './translated.ts'
import { until } from './until.ts'

const nano = 1e9
const balance = 0.02 // 10,000 tokens of output at 2 USD per million

const arrays: readonly Pair[] = pairs
  .filter(({ client }) => client.name === 'gemini')
  .map((pair) => ({ ...pair, name: `${pair.name}, as an array`, client: geminiArray }))

const names = [...new Set(pairs.map(({ client }) => client.name))]
const isNextTo = ({ client, upstream }: Pair) =>
  names[(names.indexOf(client.name) + 1) % names.length] === upstream.name

/** Streams, each on an account of its own with little money. */
const cuts = [
  ...[...pairs, ...arrays].map((pair) => ({ ...pair, atOnce: 1 })),
  // Reading what came at once is the upstream's side, ending it the client's: each of them once.
  ...[...pairs.filter(isNextTo), ...arrays.slice(0, 1)].map((pair) => ({
    ...{ ...pair, atOnce: 10_000 },
    name: `${pair.name}: also in the middle of what came at once`,
  })),
].map((one, at) => ({ ...one, key: `sk-test-poor-${at}-0123456789abcdefghijkl` }))

let talker: Awaited<ReturnType<typeof startTalker>>
let gateway: RunningBinary
beforeAll(async () => {
  talker = await startTalker(dialects.chat)
  gateway = await startTranslating(talker.url, {
    moreAccounts: cuts.map(({ key, upstream }, at) => ({
      ...{ email: `poor-${at}@example.com`, balance },
      tokens: [{ name: 'poor', key, group: `on-${upstream.name}` }],
    })),
  })
})
afterAll(async () => {
  await gateway?.stop()
  await talker?.[Symbol.asyncDispose]()
})

/** Asks for a stream of 100,000 tokens on little money, and looks at where it ended. */
async function expectCut({ client, upstream, atOnce, key }: (typeof cuts)[number]): Promise<void> {
  const framing = client === geminiArray ? 'json-array' : 'sse'
  talker.speak(upstream, atOnce)
  const answer = await ask(gateway.url, client, true, { key })
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(violations(client, text, 'error', framing)).toEqual([])
  expect(text).toContain('used up')
  await until('the upstream to be let go', () => !talker.isOpen())
  await using ledger = openLedger(gateway.cwd)
  const record = await ledger.record(requestIdOf(answer))
  expect(record).toMatchObject({
    ...{ ending: 'cut', cause: 'balance_used_up', status: 200, estimated: 1 },
    ...{ client_protocol: client.name, upstream_protocol: upstream.name },
  })
  const charged = record?.amount_nano ?? 0
  expect(charged).toBeGreaterThan(balance * nano * 0.99)
  expect(charged).toBeLessThanOrEqual(balance * nano)
  // What was charged is what was delivered: no event behind the cut is in what the client has.
  const delivered = await countTokens(spoken(client, text, framing))
  expect(Math.abs((record?.output_tokens ?? 0) - delivered)).toBeLessThan(delivered * 0.01)
  expect(await ledger.integrity()).toBe('ok')
}

describe('B2: a stream of 100,000 tokens on a small balance ends by itself', () => {
  test.each(cuts)('$name: within 1 % of what there was, with an error of its protocol', expectCut)
})

describe('a price per call', () => {
  const tokens = { input: 10, output: 20 }
  let fake: FakeUpstream
  let gateway: RunningBinary
  beforeAll(async () => {
    fake = startFakeUpstream((request) => {
      const dialect = dialectOf(request)
      if (!wantsStream(request)) return jsonAnswer(dialect.body(tokens))
      return sseAnswer(wholeStream(dialect, tokens, ['Hello']))
    })
    gateway = await startTranslating(fake.url, { prices: { 'test-model': { per_call: 0.04 } } })
  })
  afterAll(async () => {
    await gateway.stop()
    await fake.stop()
  })

  test.each(pairs)('$name: is charged once, whole and streamed', async ({ client, upstream }) => {
    await using ledger = openLedger(gateway.cwd)
    for (const stream of [false, true]) {
      const answer = await ask(gateway.url, client, stream, { key: keyOn(upstream) })
      await answer.text()
      expect(await ledger.record(requestIdOf(answer))).toMatchObject({
        ...{ ending: 'complete', calls: 1, amount_nano: 0.04 * nano, charged_nano: -0.04 * nano },
        ...{ input_tokens: 10, output_tokens: 20, upstream_protocol: upstream.name },
      })
    }
  })
})
