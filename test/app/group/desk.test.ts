import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Desk } from '../../../src/app/group/desk.ts'
import type { Keeper } from '../../../src/store/keeper/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { reservation } from '../../store/sqlite/file-store.ts'
import { now, seed, settlement, temporaryDirectory } from '../../store/support.ts'
import { openTestDesk, openTestWorker } from '../../support/keeper-link.ts'

describe('a desk', () => {
  const directory = temporaryDirectory()
  const store = openSqliteStore({ path: directory.file('gate.db'), clock: () => now })
  let desk: Desk
  let address: string
  let worker: Keeper
  beforeEach(async () => {
    if ((await store.admin.accounts()).length === 0) await seed(store)
    ;({ desk, address } = openTestDesk(store))
    worker = await openTestWorker(address)
  })
  afterEach(() => {
    worker.close()
    desk.close()
  })

  test('stores what a worker hands over, and answers with the figures', async () => {
    const { denied, accounts } = await worker.store.records.commit({
      settle: [settlement({ requestId: 'a', amountNano: 100 })],
      reserve: [reservation({ requestId: 'b', amountNano: 10_000_000_000 })],
    })
    expect(denied).toEqual(new Map([['b', 'balance']]))
    expect(accounts).toEqual([{ accountId: 1, balanceNano: 999_999_900 }])
  })
})
