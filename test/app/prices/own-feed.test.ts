import { expect, test } from 'bun:test'
import { comparePrices } from '../../../src/app/prices/difference.ts'
import { loadPriceList } from '../../../src/app/prices/read-price-list.ts'
import { until } from '../../e2e/until.ts'
import { startServing } from '../serving.ts'

test("a gateway's own feed at multiplier 1 says what its prices say", async () => {
  const group = '默认【官转·稳定】'
  await using running = await startServing({
    upstream: 'http://127.0.0.1:9',
    models: ['fine', 'tiered', 'gpt-5-mini', 'painter', 'house-llm'],
    group: { name: group },
    token: { group },
    onlyPrices: {
      fine: { input: 0.000001, output: 123456.654321, cache_write: 0.1, cache_write_1h: 0.3 },
      tiered: { input: 1, output: 2, tiers: [{ above: 5, input: 3, output: 4 }] },
      painter: { per_call: 0.000000001 },
      'house-llm': { free: true },
    },
  })
  const from = `${running.serving.url}/api/provider/pricing`
  const list = await until('the feed is there', () =>
    loadPriceList({ from, forms: ['feed'] }).catch(() => undefined),
  )
  const rows = await running.instance.store.catalog.load()
  expect(comparePrices(list, rows, { all: true })).toEqual({
    form: 'feed',
    changes: [],
    writes: [],
    unchanged: 4,
    skipped: [{ model: 'house-llm', reason: expect.stringContaining('costs nothing there') }],
    tiersKept: ['tiered'],
  })
})
