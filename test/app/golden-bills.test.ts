import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TokenRates } from '../../src/store/ports/catalog.ts'
import { type Bucket, goldenBills, goldenTerms } from '../billing/golden-bills.ts'
import { collect } from '../store/support.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { type Running, startServing } from './serving.ts'

// The golden bills once more, through the whole app: an upstream reports the usage in its vendor's
// fields, the charge stands in the record.

const secondKey = 'sk-second-0123456789abcdefghijklmno'
const usd = (micro: number | null) => (micro ?? 0) / 1_000_000

/** The golden price as a configuration file writes it. */
function configPrice() {
  if (goldenTerms.unit !== 'tokens') throw new Error('The golden price is by tokens.')
  const rates = (one: TokenRates) => ({
    input: usd(one.input),
    output: usd(one.output),
    cache_read: usd(one.cacheRead),
    cache_write: usd(one.cacheWrite),
    cache_write_1h: usd(one.cacheWrite1h),
  })
  const tiers = goldenTerms.tiers.map((tier) => ({ above: tier.above, ...rates(tier) }))
  return { ...rates(goldenTerms.base), tiers }
}

let upstream: FakeUpstream
let running: Running
beforeAll(async () => {
  // The question is the usage that the answer reports.
  upstream = startFakeUpstream((request) => {
    const { messages } = request.json() as { messages: { content: string }[] }
    return jsonAnswer({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'golden',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: JSON.parse(messages[0]?.content ?? '{}'),
    })
  })
  running = await startServing({
    upstream: upstream.url,
    models: ['golden'],
    onlyPrices: { golden: configPrice() },
    moreGroups: [{ name: 'no tiers', channels: ['main'], long_context_pricing: false }],
    moreAccounts: [
      {
        email: 'second@example.com',
        balance: 100,
        tokens: [{ name: 'second', key: secondKey, group: 'no tiers' }],
      },
    ],
  })
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** The context as the vendor reports it. */
function wireUsage(bucket: Bucket, context: number) {
  const of = (one: Bucket) => (one === bucket ? context : 0)
  const written = of('cacheWriteTokens') + of('cacheWrite1hTokens')
  return {
    input_tokens: of('inputTokens'),
    output_tokens: 1000,
    cache_read_input_tokens: of('cacheReadTokens'),
    cache_creation_input_tokens: written,
    cache_creation: {
      ephemeral_5m_input_tokens: of('cacheWriteTokens'),
      ephemeral_1h_input_tokens: of('cacheWrite1hTokens'),
    },
  }
}

async function billOf(usage: object, key?: string) {
  const body = {
    model: 'golden',
    max_tokens: 1000,
    messages: [{ role: 'user', content: JSON.stringify(usage) }],
  }
  const answer = await running.ask('/v1/messages', body, key)
  expect(answer.status).toBe(200)
  const id = answer.headers.get('x-request-id')
  await answer.text()
  const records = await collect(running.instance.store.records.exportRequests({}))
  const record = records.find(({ requestId }) => requestId === id)
  return { amountNano: record?.amountNano, tierAbove: record?.tierAbove }
}

for (const [bucket, below, at, over, off] of goldenBills)
  test(`B5: the bill of an answer whose context is all ${bucket}`, async () => {
    const bill = (context: number, key?: string) => billOf(wireUsage(bucket, context), key)
    expect(await bill(199_999)).toEqual({ amountNano: below, tierAbove: null })
    expect(await bill(200_000)).toEqual({ amountNano: at, tierAbove: null })
    expect(await bill(200_001)).toEqual({ amountNano: over, tierAbove: 200_000 })
    expect(await bill(199_999, secondKey)).toEqual({ amountNano: below, tierAbove: null })
    expect(await bill(200_000, secondKey)).toEqual({ amountNano: at, tierAbove: null })
    expect(await bill(200_001, secondKey)).toEqual({ amountNano: off, tierAbove: null })
  })
