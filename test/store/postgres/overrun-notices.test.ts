import { describe, expect, test } from 'bun:test'
import type { Overrun, Settlement } from '../../../src/store/ports/records.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { until } from '../../e2e/until.ts'
import { lendDatabase } from '../../support/lent-databases.ts'
import { ask, hasPostgres } from '../../support/postgres.ts'
import { reservation } from '../sqlite/file-store.ts'
import { now, seed, settlement } from '../support.ts'

const overrun = (factor: number, changes: Partial<Overrun> = {}): Overrun => ({
  ...{ accountId: 1, channelId: 1, upstreamModel: 'small-1', factor, byNano: 90 },
  ...changes,
})
const telling = (requestId: string, told: Overrun, more: Partial<Settlement> = {}): Settlement => ({
  ...settlement({ requestId }),
  ...{ overrun: told, ...more },
})

/** Two nodes with one database, and what each has heard. */
async function openTwo() {
  const database = await lendDatabase()
  const open = async () => {
    const store = await openPostgresStore({ url: database.url, clock: () => now })
    const heard: Overrun[] = []
    store.records.onOverrun?.((told) => heard.push(told))
    return { ...store, heard }
  }
  const [one, other] = [await open(), await open()]
  await seed(one)
  return {
    ...{ one, other },
    notify: (payload: string) =>
      ask(database.url, `SELECT pg_notify('tollgate_dearer', '${payload}')`),
    stored: () => ask(database.url, 'SELECT request_id FROM request ORDER BY id'),
    async [Symbol.asyncDispose]() {
      await Promise.all([one.close(), other.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(!hasPostgres)('what turned out dearer', () => {
  test('is heard of by another node before it is answered what it asks next', async () => {
    await using nodes = await openTwo()
    const { one, other } = nodes
    // A connection that is made meanwhile listens from then on.
    await other.records.commit({ reserve: [reservation({ requestId: 'first', amountNano: 1 })] })
    for (let at = 1; at <= 100; at++) {
      await one.records.commit({ settle: [telling(`told_${at}`, overrun(at))] })
      const asked = reservation({ requestId: `asked_${at}`, amountNano: 1 })
      await other.records.commit({ reserve: [asked] })
      expect(other.heard).toHaveLength(at)
      expect(other.heard.at(-1)).toEqual(overrun(at))
    }
  })

  test('is told with the charge, whatever else is stored with it, and by nothing else', async () => {
    await using nodes = await openTwo()
    const { one, other } = nodes
    const begin = { accountId: 1, channelId: 1, keyMark: 'mark', contextTokens: 1, createdAt: now }
    const kept = [{ id: 'resp_1', ...begin }]
    const ordinary = settlement({ requestId: 'ordinary' })
    const trips = one.roundTrips()
    await one.records.commit({ settle: [ordinary] })
    await one.records.commit({ settle: [telling('a', overrun(2)), telling('b', overrun(3))] })
    await one.records.commit({ settle: [telling('c', overrun(4), { kept })] })
    expect(one.roundTrips() - trips).toBe(3)
    // A charge that can't be stored is not told of.
    const most = Number.MAX_SAFE_INTEGER
    const beyond = ['d', 'e'].map((requestId) => ({
      ...settlement({ requestId, amountNano: most }),
      overrun: overrun(5),
    }))
    await expect(one.records.commit({ settle: beyond })).rejects.toThrow()
    await other.records.commit({ release: ['none'] })
    for (const { heard } of [one, other])
      expect(heard.map(({ factor }) => factor).sort()).toEqual([2, 3, 4])
  })

  test('is heard of by a node that asks nothing', async () => {
    await using nodes = await openTwo()
    await nodes.other.check()
    await nodes.one.records.commit({ settle: [telling('a', overrun(2))] })
    await until('it to be heard', () => nodes.other.heard.length === 1)
  })

  test('is charged where there is no room to tell of it', async () => {
    await using nodes = await openTwo()
    const long = overrun(2, { upstreamModel: 'é'.repeat(4_000) })
    const broken = overrun(3, { upstreamModel: 'a\0"\\{\ud800' })
    await nodes.one.records.commit({ settle: [telling('a', long), telling('b', broken)] })
    expect(await nodes.stored()).toHaveLength(2)
    expect(nodes.one.heard).toEqual([broken])
  })

  test('of another version is left alone, unless it says the same and more', async () => {
    await using nodes = await openTwo()
    await nodes.one.check()
    for (const told of ['', 'null', '{', '[]', '{"factor":2}', JSON.stringify(overrun(0.5))])
      await nodes.notify(told)
    await nodes.notify(JSON.stringify({ ...overrun(2), byNano: '90' }))
    await nodes.notify(JSON.stringify(overrun(2)).replace('"factor":2', '"factor":1e999'))
    await nodes.notify(JSON.stringify({ ...overrun(7), more: true }))
    await nodes.one.check()
    expect(nodes.one.heard).toEqual([{ ...overrun(7), more: true } as Overrun])
  })
})
