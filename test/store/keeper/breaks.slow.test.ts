import { afterAll, describe, expect, test } from 'bun:test'
import type { Keeper } from '../../../src/store/keeper/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createCutLink } from '../../support/cut-link.ts'
import { openTestDesk, openTestWorker } from '../../support/keeper-link.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, seed, settlement } from '../support.ts'

const opening = 1_000_000_000
const settle = (requestId: string, amountNano: number) => settlement({ requestId, amountNano })
const reserve = (requestId: string, amountNano: number) => reservation({ requestId, amountNano })

/** What one worker does; each step must be stored, whatever breaks. */
async function work({ store: { records } }: Keeper): Promise<void> {
  const stored = [
    await records.commit({ reserve: [reserve('a', 500), reserve('b', 300), reserve('c', 50)] }),
    await records.commit({
      grow: [{ requestId: 'a', accountId: 1, tokenId: 1, byNano: 70, fromNano: 500 }],
      settle: [{ ...settle('d', 10), neverReserved: true }],
    }),
    await records.commit({ settle: [settle('a', 400)], release: ['b'] }),
    await records.commit({
      grow: [{ requestId: 'c', accountId: 1, tokenId: 1, byNano: 5, fromNano: 50 }],
    }),
  ]
  expect(stored.map(({ denied }) => denied.size)).toEqual([0, 0, 0, 0])
  expect(stored.at(-1)?.accounts).toEqual([{ accountId: 1, balanceNano: opening - 410 }])
}

async function run(cut?: Parameters<typeof createCutLink>[1]) {
  const store = openSqliteStore({ path: ':memory:', clock: () => now })
  await seed(store)
  const { desk, address } = openTestDesk(store)
  const cable = createCutLink(address, cut)
  const worker = await openTestWorker(cable.address)
  try {
    await work(worker)
    const [account] = await store.admin.accounts()
    const found = {
      balance: account?.balanceNano,
      reserved: account?.reservedNano,
      held: desk.held(),
      ended: (await store.admin.ledger('ann@example.com', 100)).map((one) => one.requestId),
    }
    return { found, passed: { ...cable.passed }, wasCut: cable.wasCut() }
  } finally {
    worker.close()
    cable.close()
    desk.close()
    await store.close()
  }
}

const right = {
  ...{ balance: opening - 410, reserved: 55, held: ['c'] },
  ended: [null, 'd', 'a'],
}

describe('a connection that breaks', async () => {
  const whole = await run()
  afterAll(() => expect(whole.found).toEqual(right))

  /** Some sixty points, odd ones, so that heads and bodies are cut alike. */
  const points = (bytes: number) => {
    const step = Math.max(1, Math.floor(bytes / 60)) | 1
    return Array.from({ length: Math.ceil(bytes / step) }, (_, at) => at * step)
  }

  test.each(['toKeeper', 'toWorker'] as const)(
    'at any point %s, loses nothing and stores nothing twice',
    async (way) => {
      for (const after of points(whole.passed[way])) {
        const { found, wasCut } = await run({ way, after })
        expect({ after, found, wasCut }).toEqual({ after, found: right, wasCut: true })
      }
    },
    60_000,
  )
})
