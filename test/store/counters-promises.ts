import { describe, expect, test } from 'bun:test'
import type { Admitted, Counters } from '../../src/store/ports/counters.ts'
import { noLimits } from '../support/no-limits.ts'

/** Counters that count together, of one test. */
export interface CountersGroup {
  open(leaseMs?: number): Promise<Counters>
  /** The clock that they go by. */
  nowMs(): Promise<number>
}

export const counted = (name: string, limits: Partial<typeof noLimits>) => ({
  name,
  limits: { ...noLimits, ...limits },
})

/** By how much two readings of a clock in whole milliseconds may differ. */
const clockMs = 2

/** How many of them were let in. */
const countIn = (all: readonly Admitted[]) => all.filter(({ ok }) => ok).length

async function until(holds: () => boolean, limitMs = 60_000): Promise<void> {
  for (const end = performance.now() + limitMs; !holds(); await Bun.sleep(5))
    if (performance.now() > end) throw new Error('It did not come about in time.')
}

/** What all counters promise, wherever they are kept. */
export function promiseOfCounters(fresh: () => CountersGroup): void {
  describe('places', () => {
    test('as many as allowed are let in, over all nodes together', async () => {
      const group = fresh()
      const nodes = [await group.open(), await group.open(), await group.open()]
      const asked = Array.from({ length: 120 }, (_, at) =>
        nodes[at % 3]?.admit({
          counted: [counted('token:1', { rpm: 50 })],
          llmTokens: 0,
          slot: `slot ${at}`,
        }),
      )
      const found = (await Promise.all(asked)).flatMap((one) => one ?? [])
      // Which of them depends on whose connection the server reads first.
      const refused = found.filter((one) => !one.ok)
      expect(found).toHaveLength(120)
      expect(refused).toHaveLength(70)
      for (const { shortages } of refused) {
        expect(shortages).toHaveLength(1)
        expect(shortages[0]).toMatchObject({ at: 0, limit: 'rpm' })
        expect(shortages[0]?.retryAfterMs).toBeWithin(59_000, 60_501)
      }
    })

    test('all are taken or none, and all limits that leave no room are told', async () => {
      const counters = await fresh().open()
      const full = counted('group:1', { tpm: 10, concurrency: 1 })
      const key = counted('token:1', { rpm: 1, concurrency: 1 })
      const admit = (...all: ReturnType<typeof counted>[]) =>
        counters.admit({ counted: all, llmTokens: 7, slot: crypto.randomUUID() })
      expect(await admit(full)).toMatchObject({ ok: true })
      expect(await admit(key, full)).toMatchObject({
        ok: false,
        shortages: [
          { at: 1, limit: 'tpm' },
          { at: 1, limit: 'concurrency', retryAfterMs: 1000 },
        ],
      })
      expect(await admit(key)).toMatchObject({ ok: true })
      expect(await admit(key)).toMatchObject({ ok: false })
    })

    test('what is told of a request makes room, or takes more', async () => {
      const counters = await fresh().open()
      const key = counted('token:1', { tpm: 100, concurrency: 1 })
      const admit = (llmTokens: number, slot: string) =>
        counters.admit({ counted: [key], llmTokens, slot })
      const first = await admit(90, 'a')
      if (!first.ok) throw new Error('it was refused')
      const change = { name: key.name, part: first.part, requests: 0 }
      const freed = [{ name: key.name, slot: 'a' }]
      await counters.report({ changes: [{ ...change, llmTokens: -50 }], freed })
      expect(await admit(61, 'b')).toMatchObject({ ok: false })
      expect(await admit(60, 'b')).toMatchObject({ ok: true })
      await counters.report({
        changes: [{ ...change, llmTokens: 1 }],
        freed: [{ name: key.name, slot: 'b' }],
      })
      const shortage = await admit(1, 'c')
      expect(shortage).toMatchObject({ ok: false, shortages: [{ limit: 'tpm' }] })
    })

    test('no more is given back than was counted', async () => {
      const counters = await fresh().open()
      const key = counted('token:1', { tpm: 100 })
      const admit = (llmTokens: number) => counters.admit({ counted: [key], llmTokens, slot: '' })
      const first = await admit(50)
      if (!first.ok) throw new Error('it was refused')
      const change = { name: key.name, part: first.part, requests: -9, llmTokens: -1_000_000 }
      await counters.report({ changes: [change] })
      expect(await admit(100)).toMatchObject({ ok: true })
      expect(await admit(1)).toMatchObject({ ok: false })
    })

    test('more than the limit at once is let in alone', async () => {
      const counters = await fresh().open()
      const admit = (llmTokens: number) =>
        counters.admit({ counted: [counted('token:1', { tpm: 100 })], llmTokens, slot: '' })
      expect(await admit(500)).toMatchObject({ ok: true })
      expect(await admit(1)).toMatchObject({ ok: false })
    })

    test('a part of the window that has passed counts no more, however many there are', async () => {
      const group = fresh()
      const counters = await group.open()
      const key = counted('token:1', { rpm: 1000, tpm: 1_000_000 })
      const part = counters.partAt(performance.now())
      const at = (back: number) => ({
        ...{ name: key.name, part: part - back, requests: 1, llmTokens: 10 },
      })
      // Half a second before it passes, and all the parts of a minute.
      await counters.report({ changes: Array.from({ length: 604 }, (_, back) => at(back)) })
      await counters.report({ changes: [at(606), at(10_000)] }) // these have passed already
      const admit = (rpm: number) =>
        counters.admit({
          counted: [{ ...key, limits: { ...key.limits, rpm } }],
          llmTokens: 1,
          slot: '',
        })
      // Ten too many: until ten parts have passed.
      const leftMs = async () => (part + 11) * 100 - (await group.nowMs())
      const mostMs = await leftMs()
      const full = await admit(595)
      if (full.ok) throw new Error('it was let in')
      expect(full.shortages[0]?.retryAfterMs).toBeWithin(
        Math.floor(await leftMs()) - clockMs,
        mostMs + clockMs,
      )
      await until(() => counters.partAt(performance.now()) > part + 13)
      expect(await admit(595)).toMatchObject({ ok: true })
    })
  })

  describe('slots', () => {
    test('of a node that is gone are free when their lease ends; those that are kept are not', async () => {
      const counters = await fresh().open(600)
      const key = counted('token:1', { concurrency: 2 })
      const admit = (slot: string) => counters.admit({ counted: [key], llmTokens: 0, slot })
      const startTick = performance.now()
      expect(countIn([await admit('dead'), await admit('live')])).toBe(2)
      const keep = setInterval(
        () => void counters.report({ kept: [{ name: key.name, slot: 'live' }] }),
        100,
      )
      while (!(await admit('next')).ok) await Bun.sleep(10)
      expect(performance.now() - startTick).toBeGreaterThan(500)
      await Bun.sleep(700)
      await counters.report({ kept: [{ name: key.name, slot: 'live' }] })
      clearInterval(keep)
      expect(countIn([await admit('other'), await admit('another')])).toBe(1)
    })

    test('are taken once, however often they are told', async () => {
      const counters = await fresh().open()
      const key = counted('token:1', { concurrency: 2 })
      const kept = Array.from({ length: 700 }, () => ({ name: key.name, slot: 'one' }))
      await counters.report({ kept })
      const admit = (slot: string) => counters.admit({ counted: [key], llmTokens: 0, slot })
      expect(countIn([await admit('a'), await admit('b')])).toBe(1)
    })
  })

  describe('texts', () => {
    test('are shared, and dropped by how they begin', async () => {
      const group = fresh()
      const [here, there] = [await group.open(), await group.open()]
      expect(await here.get('a')).toBeUndefined()
      await here.set('a', '7 key')
      expect(await there.get('a')).toBe('7 key')
      await there.drop('a', '77 ')
      expect(await here.get('a')).toBe('7 key')
      await there.drop('a', '7 ')
      expect(await here.get('a')).toBeUndefined()
    })
  })

  describe('the board of what cools', () => {
    test('is read when it has changed only', async () => {
      const group = fresh()
      const [here, there] = [await group.open(), await group.open()]
      const row = { channelId: 1, key: '', model: 'm', cause: 'c', since: 1, until: 2, rounds: 1 }
      await here.write([row, { ...row, channelId: 2 }], [])
      const found = await there.read('')
      expect(found?.rows.toSorted((a, b) => a.channelId - b.channelId)).toEqual([
        row,
        { ...row, channelId: 2 },
      ])
      expect(await there.read(found?.version ?? '')).toBeUndefined()
      await there.write([], [row])
      expect((await here.read(found?.version ?? ''))?.rows).toEqual([{ ...row, channelId: 2 }])
    })
  })
}
