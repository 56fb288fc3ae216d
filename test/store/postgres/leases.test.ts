import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { silentNodeMs } from '../../../src/store/ports/nodes.ts'
import type { LeaseSource } from '../../../src/store/ports/records.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/open.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres, type TestDatabase } from '../../support/postgres.ts'
import { now, seed } from '../support.ts'

const wish = { leases: [{ purse: 1, no: 1, byNano: 1_000 }] }

describe.skipIf(!hasPostgres)('the leases of a node', () => {
  let database: TestDatabase
  let store: PostgresStore
  let leases: LeaseSource
  let clock: number
  let lost: number

  beforeEach(async () => {
    clock = now
    lost = 0
    database = await lendDatabase()
    store = await openPostgresStore({ url: database.url, clock: () => clock })
    await seed(store)
    if (store.records.leases === undefined) throw new Error('no leases')
    leases = store.records.leases
    leases.onLost(() => lost++)
  })
  afterEach(async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  })

  const held = async () =>
    await ask<object>(database.url, 'SELECT amount_nano AS nano, node_id AS node FROM lease')
  const reserved = () =>
    ask<object>(database.url, 'SELECT reserved_nano AS nano FROM account WHERE id = 1')

  test('last from heartbeat to heartbeat, five seconds less than others wait for one', async () => {
    expect(leases.mayBegin()).toBe(false)
    const id = await store.nodes.register({ name: 'here', version: '1' })
    expect(leases.mayBegin()).toBe(true)
    clock += silentNodeMs - 6_000
    expect(leases.mayBegin()).toBe(true)
    await store.nodes.heartbeat(id, {})
    clock += silentNodeMs - 6_000
    expect(leases.mayBegin()).toBe(true)
    clock += 1_001
    expect(leases.mayBegin()).toBe(false)
    expect(lost).toBe(0)
  })

  test('end with its silence, also where nobody has given them back', async () => {
    const id = await store.nodes.register({ name: 'here', version: '1' })
    await store.records.commit(wish)
    expect(await held()).toEqual([{ nano: 1_000, node: id }])
    clock += silentNodeMs
    expect(leases.mayBegin()).toBe(false)
    let couldBegin = true
    leases.onLost(() => {
      lost++
      couldBegin = leases.mayBegin()
    })
    await store.nodes.heartbeat(id, {})
    expect([lost, couldBegin, leases.mayBegin()]).toEqual([1, false, true])
    expect([await held(), await reserved()]).toEqual([[], [{ nano: 0 }]])
    await store.nodes.heartbeat(id, {})
    expect(lost).toBe(1)
  })

  test('are not trusted after the clock has jumped', async () => {
    const id = await store.nodes.register({ name: 'here', version: '1' })
    clock -= 3_600_000
    await store.nodes.heartbeat(id, {})
    expect([leases.mayBegin(), lost]).toEqual([true, 0])
    clock += 3_600_000
    expect(leases.mayBegin()).toBe(false)
    await store.nodes.heartbeat(id, {})
    expect([leases.mayBegin(), lost]).toEqual([true, 1])
  })

  test('end when somebody takes it out of the list', async () => {
    const id = await store.nodes.register({ name: 'here', version: '1' })
    await store.records.commit(wish)
    await store.nodes.forget(id)
    expect([await held(), await reserved()]).toEqual([[], [{ nano: 0 }]])
    expect(await store.nodes.heartbeat(id, {})).toBe(false)
    expect([leases.mayBegin(), lost]).toEqual([false, 1])
    await store.nodes.register({ id, name: 'here', version: '1' })
    expect([leases.mayBegin(), lost]).toEqual([true, 1])
  })
})
