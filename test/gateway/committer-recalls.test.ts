import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Committer, createCommitter } from '../../src/gateway/money/committer.ts'
import { purseOfBudget } from '../../src/leases/purse.ts'
import { createLogger } from '../../src/lib/log.ts'
import type { Batch } from '../../src/store/ports/records.ts'
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/open.ts'
import { until } from '../e2e/until.ts'
import { reservation } from '../store/sqlite/file-store.ts'
import { now, seed, settlement } from '../store/support.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { hasPostgres, type TestDatabase } from '../support/postgres.ts'
import { reserveBy } from './committer-scene.ts'

const opening = 1_000_000_000
const accountId = 1
const leaseNano = opening / 4
const whole = reservation({ requestId: 'whole', amountNano: opening })

describe.skipIf(!hasPostgres)('money that another node has leased', () => {
  let database: TestDatabase
  let other: PostgresStore
  let mine: PostgresStore
  let committer: Committer
  let batches: Batch[]
  let answers: number

  beforeEach(async () => {
    database = await lendDatabase()
    const open = () => openPostgresStore({ url: database.url, clock: () => now })
    ;[mine, other] = [await open(), await open()]
    await seed(mine)
    await mine.nodes.register({ name: 'mine', version: '1' })
    await other.nodes.register({ name: 'other', version: '1' })
    await other.records.commit({ leases: [{ purse: accountId, no: 1, byNano: leaseNano }] })
    const { records } = mine
    batches = []
    answers = 0
    const watched = {
      ...records,
      commit(batch: Batch) {
        batches.push(batch)
        return records.commit(batch)
      },
    }
    const log = createLogger({ sink() {}, pretty: false, clock: () => now, level: 'error' })
    committer = createCommitter(watched, () => answers++, log)
  })
  afterEach(async () => {
    await committer.idle()
    await Promise.all([mine.close(), other.close()])
    await database[Symbol.asyncDispose]()
  })

  test('comes back for a request that needs it, before that is denied', async () => {
    other.records.leases?.onRecall(() => {
      const leases = [{ purse: accountId, no: 2, byNano: -leaseNano }]
      other.records.commit({ leases }).catch(() => {})
    })
    expect(await reserveBy(committer, whole)).toBeUndefined()
    expect(batches.length).toBeGreaterThan(1)
  })

  test('and does not come back: the request is denied after three tries', async () => {
    expect(await reserveBy(committer, whole)).toBe('balance')
    expect(batches.map(({ reserve }) => reserve?.length)).toEqual([1, 1, 1])
  })

  test('comes back where it is of the budget of the token', async () => {
    const budget = { totalNano: 1_000, dayNano: null, monthNano: null }
    await mine.admin.changeToken({ id: 1, budget, actor: 'someone' })
    const purse = purseOfBudget(1)
    await other.records.commit({ leases: [{ purse, no: 2, byNano: 250 }] })
    const all = reservation({ requestId: 'all', amountNano: 1_000 })
    const denial = reserveBy(committer, all)
    await until('it was denied once', () => answers === 1)
    await other.records.commit({ leases: [{ purse, no: 3, byNano: -250 }] })
    expect(await denial).toBeUndefined()
    expect(await reserveBy(committer, { ...all, requestId: 'more' })).toBe('budget')
  })

  test('comes back for a stream that needs more', async () => {
    const little = reservation({ requestId: 'stream', amountNano: 1 })
    expect(await reserveBy(committer, little)).toBeUndefined()
    const growth = { requestId: 'stream', accountId, tokenId: 1, byNano: opening - 1, fromNano: 1 }
    const grown = committer.grow(growth)
    await until('it was denied once', () => answers === 2)
    await other.records.commit({ leases: [{ purse: accountId, no: 2, byNano: -leaseNano }] })
    expect(await grown).toBeUndefined()
  })

  test('is waited for no longer when the request has ended', async () => {
    const denial = reserveBy(committer, whole)
    await until('it was denied once', () => answers === 1)
    await committer.settle(settlement({ requestId: 'whole', amountNano: 5 }))
    expect(await denial).toBeUndefined()
    await other.records.commit({ leases: [{ purse: accountId, no: 2, byNano: -leaseNano }] })
    await committer.idle()
    expect(await mine.nodes.reservations()).toEqual([])
    expect((await mine.admin.account('ann@example.com'))?.reservedNano).toBe(0)
  })
})
