import { expect } from 'bun:test'
import type { StoredRequest } from '../../../src/store/ports/records.ts'
import { requestIdOf } from '../../e2e/caller.ts'
import type { Dialect } from '../../e2e/dialects.ts'
import type { FakeHandler } from '../../support/fake-upstream.ts'
import { startClocked } from '../clocked.ts'

// Bills worked out by hand. One token costs, in nano-USD: 1,000 in, 5,000 out, 100 read from the
// cache, 1,250 written to it for 5 minutes, 2,000 written for an hour; every price differs, so that
// a wrong one shows.

/** What the model can hold, in LLM tokens. */
export const contextWindow = 32_768

const prices = {
  'test-model': {
    ...{ input: 1, output: 5, cache_read: 0.1, cache_write: 1.25, cache_write_1h: 2 },
    context_window: contextWindow,
  },
}

/** A gateway at those prices. */
export async function startPricedScene() {
  const clocked = await startClocked({ start: '2026-11-21T08:00:00Z', prices })

  /** The record of an answer; the ledger has charged just what it says. */
  async function recordOf(answer: Response): Promise<StoredRequest> {
    expect(answer.status).toBe(200)
    await answer.text()
    const rows = await clocked.store.records.receipt(requestIdOf(answer))
    if (!rows) throw new Error('The request left no record.')
    expect(Math.abs(rows.ledgerAmountNano ?? 0)).toBe(rows.request.amountNano)
    return rows.request
  }

  return {
    ...clocked,
    recordOf,
    /** Asks once, and gives the record. */
    async billed(dialect: Dialect, stream: boolean, script: FakeHandler) {
      clocked.upstream.handle(script)
      return recordOf(await clocked.ask(dialect, { stream }))
    },
  }
}

/** What `startPricedScene` gives. */
export type PricedScene = Awaited<ReturnType<typeof startPricedScene>>
