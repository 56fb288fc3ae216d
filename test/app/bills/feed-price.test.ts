import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { requestIdOf } from '../../e2e/caller.ts'
import { dialects } from '../../e2e/dialects.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { type Clocked, startClocked } from '../clocked.ts'

// B6 over the whole way: the numbers that stand in the published feed, times the tokens that an
// answer reports, is what its request is charged. Worked out here from the feed's text.

const secondKey = 'sk-second-0123456789abcdefghijklmno'
const awkward = {
  ...{ input: 0.333333, output: 2.777777, cache_read: 0.000001 },
  ...{ cache_write: 1.999999, cache_write_1h: 7.000003 },
}
/** Primes, so that nothing comes out even. */
const counts = { input: 10_007, output: 977, read: 50_021, write: 3_001, write1h: 131 }

let clocked: Clocked
beforeAll(async () => {
  clocked = await startClocked({
    start: '2026-11-21T08:00:00Z',
    models: ['test-model', 'painter'],
    prices: { 'test-model': awkward, painter: { per_call: 0.012345679 } },
    group: { rate_multiplier: 0.777777 },
    moreGroups: [{ name: '第二【官转·稳定】', channels: ['main'], rate_multiplier: 1.000001 }],
    moreAccounts: [
      {
        email: 'second@example.com',
        balance: 100,
        tokens: [{ name: 'second', key: secondKey, group: '第二【官转·稳定】' }],
      },
    ],
  })
})
afterAll(() => clocked[Symbol.asyncDispose]())

/** A row of the feed, its numbers as they are written. */
async function feedRow(model: string, group: string): Promise<Record<string, string>> {
  const url = 'http://gateway.example/pricing/provider-pricing.json'
  const text = await (await clocked.tollgate.app.handle(new Request(url))).text()
  const quoted = text.replace(/("\w*price(?:_1h)?":)([\d.]+)/g, '$1"$2"')
  const { data } = JSON.parse(quoted) as { data: { models: Record<string, string>[] } }
  const row = data.models.find((one) => one.model_name === model && one.group_name === group)
  if (!row) throw new Error(`The feed has no row of ${model} in ${group}.`)
  return row
}

/** A plain decimal in units of 10⁻¹⁵. */
function femto(decimal: string | undefined): bigint {
  const [whole = '', fraction = ''] = (decimal ?? 'none').split('.')
  return BigInt(whole + fraction.padEnd(15, '0'))
}

/** Half up. */
const rounded = (value: bigint, unit: bigint) => Number((value + unit / 2n) / unit)

async function amountOf(answer: Response) {
  await answer.text()
  const rows = await clocked.store.records.receipt(requestIdOf(answer))
  return rows?.request.amountNano
}

describe.each([
  ['default', testKey],
  ['第二【官转·稳定】', secondKey],
])('in group %s', (group, key) => {
  test('B6: feed × tokens = charge', async () => {
    clocked.upstream.handle(() =>
      jsonAnswer({
        ...dialects.messages.body({ input: 1, output: 1 }),
        usage: {
          input_tokens: counts.input,
          output_tokens: counts.output,
          cache_read_input_tokens: counts.read,
          cache_creation_input_tokens: counts.write + counts.write1h,
          cache_creation: {
            ephemeral_5m_input_tokens: counts.write,
            ephemeral_1h_input_tokens: counts.write1h,
          },
        },
      }),
    )
    const amount = await amountOf(await clocked.ask(dialects.messages, { key }))
    const row = await feedRow('test-model', group)
    const femtoPerMillion =
      femto(row.input_price) * BigInt(counts.input) +
      femto(row.output_price) * BigInt(counts.output) +
      femto(row.cache_input_price) * BigInt(counts.read) +
      femto(row.cache_create_price) * BigInt(counts.write) +
      femto(row.cache_create_price_1h) * BigInt(counts.write1h)
    // 10⁻¹⁵ USD per million tokens × tokens, in nano-USD
    expect(amount).toBe(rounded(femtoPerMillion, 1_000_000_000_000n))
  })

  test('B6: feed × calls = charge', async () => {
    clocked.upstream.handle(() => jsonAnswer({ created: 1, data: [{ b64_json: 'AA==' }] }))
    const body = { model: 'painter', prompt: 'a house', n: 7 }
    const amount = await amountOf(await clocked.send('/v1/images/generations', body, { key }))
    const row = await feedRow('painter', group)
    expect(row.price_unit).toBe('per_call')
    expect(amount).toBe(rounded(femto(row.unit_price) * 7n, 1_000_000n))
  })
})
