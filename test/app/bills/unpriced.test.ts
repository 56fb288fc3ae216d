import { describe, expect, test } from 'bun:test'
import { allDialects } from '../../e2e/dialects.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { startClocked } from '../clocked.ts'

describe('B13: what has no price is refused, not served free', () => {
  test.each(allDialects.map((dialect) => [dialect.name, dialect] as const))(
    'B13: %s',
    async (_, dialect) => {
      const yaml = { start: '2026-11-21', models: ['test-model', 'no-price'] }
      await using own = await startClocked({ ...yaml, prices: { 'no-price': { free: true } } })
      const swap = (text: string) => text.replaceAll('test-model', 'no-price')
      const send = () =>
        own.send(
          swap(dialect.path(false)),
          JSON.parse(swap(JSON.stringify(dialect.request(false)))),
        )
      own.upstream.handle(() => jsonAnswer(dialect.body({ input: 1000, output: 500 })))
      // Free on purpose is served, and costs nothing.
      const served = await send()
      expect(served.status).toBe(200)
      await served.text()
      expect(await own.balanceNano()).toBe(100_000_000_000)
      // Its price is taken away while the gateway runs.
      await own.store.admin.write({
        prices: [{ model: 'no-price', terms: { unit: 'none' }, source: 'config', note: '' }],
      })
      await own.tollgate.refresh()
      const refused = await send()
      expect([refused.status, refused.headers.get('x-tollgate-reason')]).toEqual([
        404,
        'model_not_found',
      ])
      expect(await refused.text()).toContain('no-price')
      expect(own.upstream.requests.length).toBe(1)
      expect(await own.balanceNano()).toBe(100_000_000_000)
    },
  )
})
