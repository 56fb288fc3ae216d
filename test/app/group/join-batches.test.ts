import { expect, test } from 'bun:test'
import { createBatchJoiner } from '../../../src/app/group/join-batches.ts'
import { purseOfAccount, purseOfBudget } from '../../../src/leases/purse.ts'
import type { Batch } from '../../../src/store/ports/records.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { settlement } from '../../store/support.ts'

const one = (at: number): Batch => ({ settle: [settlement({ requestId: `req_${at}` })] })

function scene() {
  const sizes: number[] = []
  let pauses = 0
  const join = createBatchJoiner(
    {
      async commit({ settle = [] }) {
        sizes.push(settle.length)
        return { denied: new Map(), accounts: [], tokens: [] }
      },
    },
    async (ms) => {
      pauses++
      await Bun.sleep(ms)
    },
  )
  return { join, sizes, pauses: () => pauses }
}

test('who commits one after the other never waits', async () => {
  const { join, sizes, pauses } = scene()
  for (let at = 0; at < 100; at++) {
    await join(one(at))
    await Bun.sleep(1)
  }
  expect(pauses()).toBe(0)
  expect(sizes).toEqual(Array.from({ length: 100 }, () => 1))
})

test('many who commit side by side share commits', async () => {
  const { join, sizes, pauses } = scene()
  const loop = async (first: number) => {
    for (let at = 0; at < 20; at++) await join(one(first + at))
  }
  await Promise.all(Array.from({ length: 20 }, (_, at) => loop(at * 100)))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(400)
  expect(sizes.length).toBeLessThan(100)
  expect(pauses()).toBeGreaterThan(0)
})

test('of what is asked back, each batch hears what its own requests lacked', async () => {
  const lacking = (requestId: string, of: object) =>
    reservation({ requestId, amountNano: 50, ...of })
  const join = createBatchJoiner({
    commit: async ({ reserve = [] }) => ({
      ...{ accounts: [], tokens: [] },
      denied: new Map(reserve.map(({ requestId }) => [requestId, 'budget'])),
      recalled: [purseOfAccount(1), purseOfBudget(4), purseOfBudget(5)],
    }),
  })
  const answers = await Promise.all([
    join({ reserve: [lacking('a', { accountId: 2, tokenId: 4 })] }),
    join({ grow: [{ requestId: 'b', accountId: 3, tokenId: 5, byNano: 9 }] }),
    join(one(1)),
  ])
  expect(answers.map(({ recalled }) => recalled)).toEqual([
    [purseOfBudget(4)],
    [purseOfBudget(5)],
    [],
  ])
})
