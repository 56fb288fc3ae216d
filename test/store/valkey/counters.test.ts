import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Admitted, Counters } from '../../../src/store/ports/counters.ts'
import { CountersUnavailable } from '../../../src/store/ports/counters.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { noLimits } from '../../support/no-limits.ts'
import { startOwnTime } from '../../support/own-time.ts'
import {
  describeWithValkey,
  freshPrefix,
  leaseLeftMs,
  startValkey,
  type Valkey,
} from '../../support/valkey.ts'

let valkey: Valkey
const opened: Counters[] = []

interface OpenOptions {
  readonly url?: string
  readonly living?: () => number
  readonly patienceMs?: number
}

const open = async (prefix: string, leaseMs?: number, options: OpenOptions = {}) => {
  const { url = valkey.url, living } = options
  // The one that tests share is never away, however long a machine lets it wait.
  const { patienceMs = options.url ? undefined : 5_000 } = options
  const lines: string[] = []
  const told: string[] = []
  const note = (level: string) => (message: string, fields?: object) => {
    lines.push(level)
    told.push(`${message} ${JSON.stringify(fields)}`)
  }
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const counters = await openValkeyCounters({
    ...{ url, log, prefix, living, patienceMs },
    ...(leaseMs && { leaseMs }),
  })
  opened.push(counters)
  return { counters, lines, told }
}

const counted = (name: string, limits: Partial<typeof noLimits>) => ({
  name,
  limits: { ...noLimits, ...limits },
})

/** The server's clock. */
const serverMs = async (): Promise<number> => {
  const [seconds, micros] = (await valkey.ask('TIME')) as readonly string[]
  return Number(seconds) * 1000 + Number(micros) / 1000
}

/** How many of them were let in. */
const countIn = (all: readonly Admitted[]) => all.filter(({ ok }) => ok).length

async function until(holds: () => boolean, limitMs = 60_000): Promise<void> {
  for (const end = performance.now() + limitMs; !holds(); await Bun.sleep(5))
    if (performance.now() > end) throw new Error('It did not come about in time.')
}

describeWithValkey('counters in a Valkey', () => {
  beforeAll(async () => {
    valkey = await startValkey()
  })
  afterAll(async () => {
    await Promise.all(opened.map((counters) => counters.close()))
    await valkey.stop()
  })

  describe('places', () => {
    test('as many as allowed are let in, over all nodes together', async () => {
      const prefix = freshPrefix()
      const nodes = [await open(prefix), await open(prefix), await open(prefix)]
      const asked = Array.from({ length: 120 }, (_, at) =>
        nodes[at % 3]?.counters.admit({
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
      const { counters } = await open(freshPrefix())
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
      const { counters } = await open(freshPrefix())
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
      const { counters } = await open(freshPrefix())
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
      const { counters } = await open(freshPrefix())
      const admit = (llmTokens: number) =>
        counters.admit({ counted: [counted('token:1', { tpm: 100 })], llmTokens, slot: '' })
      expect(await admit(500)).toMatchObject({ ok: true })
      expect(await admit(1)).toMatchObject({ ok: false })
    })

    test('a part of the window that has passed counts no more, however many there are', async () => {
      const { counters } = await open(freshPrefix())
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
      const leftMs = async () => (part + 11) * 100 - (await serverMs())
      const mostMs = await leftMs()
      const full = await admit(595)
      if (full.ok) throw new Error('it was let in')
      expect(full.shortages[0]?.retryAfterMs).toBeWithin(Math.floor(await leftMs()), mostMs + 1)
      await until(() => counters.partAt(performance.now()) > part + 13)
      expect(await admit(595)).toMatchObject({ ok: true })
    })
  })

  describe('slots', () => {
    test('of a node that is gone are free when their lease ends; those that are kept are not', async () => {
      const prefix = freshPrefix()
      const { counters } = await open(prefix, 600)
      const key = counted('token:1', { concurrency: 2 })
      const admit = (slot: string) => counters.admit({ counted: [key], llmTokens: 0, slot })
      const startTick = performance.now()
      expect(countIn([await admit('dead'), await admit('live')])).toBe(2)
      expect(await leaseLeftMs(valkey, `${prefix}:slots:token:1`)).toBeWithin(1, 601)
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

    test.each(['knows the scripts', 'has forgotten the scripts'])(
      'that become free while many are kept stay free: the server %s',
      async (state) => {
        const prefix = freshPrefix()
        const { counters } = await open(prefix)
        if (state.startsWith('has forgotten')) await valkey.ask('SCRIPT', 'FLUSH')
        const kept = Array.from({ length: 700 }, (_, at) => ({
          name: 'token:1',
          slot: `slot ${at}`,
        }))
        const keeping = counters.report({ kept })
        await counters.report({ freed: kept.slice(-10) })
        await keeping
        expect(await valkey.ask('ZCARD', `${prefix}:slots:token:1`)).toBe(690)
      },
    )

    test('are taken once, however often they are told', async () => {
      const { counters } = await open(freshPrefix())
      const key = counted('token:1', { concurrency: 2 })
      const kept = Array.from({ length: 700 }, () => ({ name: key.name, slot: 'one' }))
      await counters.report({ kept })
      const admit = (slot: string) => counters.admit({ counted: [key], llmTokens: 0, slot })
      expect(countIn([await admit('a'), await admit('b')])).toBe(1)
    })
  })

  describe('nodes', () => {
    test('are known while they live, and leave at once when they close', async () => {
      const prefix = freshPrefix()
      const [first, second] = [await open(prefix, 400), await open(prefix, 400)]
      await until(() => first.counters.nodes() === 2)
      await second.counters.close()
      await until(() => first.counters.nodes() === 1)
      expect(await valkey.ask('ZCARD', `${prefix}:nodes`)).toBe(1)
    })

    test('are as many as are known elsewhere, when the server can not say', async () => {
      const own = await startValkey()
      await own.stop()
      let living = 3
      const { url } = own
      const { counters, told } = await open(freshPrefix(), 400, { url, living: () => living })
      expect([counters.isUnavailable(), counters.nodes()]).toEqual([true, 3])
      expect(told).toEqual([expect.stringContaining('"nodes":3')])
      living = 2
      expect(counters.nodes()).toBe(2)
      await own.start()
      await until(() => !counters.isUnavailable())
      // The other one is not back yet.
      expect(counters.nodes()).toBe(2)
      await counters.close()
      await own.stop()
    })
  })

  describe('texts', () => {
    test('are shared, and dropped by how they begin', async () => {
      const prefix = freshPrefix()
      const [{ counters: here }, { counters: there }] = [await open(prefix), await open(prefix)]
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
      const prefix = freshPrefix()
      const [{ counters: here }, { counters: there }] = [await open(prefix), await open(prefix)]
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

  test('scripts that the server has forgotten are sent again', async () => {
    const { counters } = await open(freshPrefix())
    await valkey.ask('SCRIPT', 'FLUSH')
    const admitted = await counters.admit({
      ...{ counted: [counted('token:1', { rpm: 1 })], llmTokens: 0, slot: '' },
    })
    expect(admitted.ok).toBeTrue()
    expect(counters.isUnavailable()).toBeFalse()
  })

  test('this process being busy is no sign of it', async () => {
    const { counters } = await open(freshPrefix(), undefined, { patienceMs: 150 })
    const call = counters.admit(admission)
    for (const end = performance.now() + 500; performance.now() < end; );
    expect((await call).ok).toBeTrue()
    expect(counters.isUnavailable()).toBeFalse()
  })
})

const admission = { counted: [counted('token:1', { rpm: 100 })], llmTokens: 0, slot: 'a' }

describeWithValkey('a Valkey that goes and comes', () => {
  test('one that stops rejects calls at once, is told once, and is found again', async () => {
    const own = await startValkey()
    const { counters, lines } = await open(freshPrefix(), 1_000, own)
    const backs: boolean[] = []
    counters.onBack((isEmpty) => backs.push(isEmpty))
    await own.stop()
    await until(() => counters.isUnavailable())
    // A machine may stall, and not each time.
    let takenMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5 && takenMs >= 200; round++) {
      const startTick = performance.now()
      for (let at = 0; at < 100; at++)
        await expect(counters.admit(admission)).rejects.toBeInstanceOf(CountersUnavailable)
      takenMs = performance.now() - startTick
    }
    expect(takenMs).toBeLessThan(200)
    await Bun.sleep(600)
    await own.start()
    await until(() => !counters.isUnavailable())
    expect(await counters.admit(admission)).toMatchObject({ ok: true })
    expect(backs).toEqual([true])
    expect(lines).toEqual(['warn', 'info'])
    await counters.close()
    await own.stop()
  })

  test('one that may throw counters away is warned of', async () => {
    const own = await startValkey()
    const client = new Bun.RedisClient(own.url)
    const warned = async () => {
      const { counters, told } = await open(freshPrefix(), 1_000, own)
      await counters.admit(admission)
      await counters.close()
      return told
    }
    const set = (name: string, value: string) => client.send('CONFIG', ['SET', name, value])
    await set('maxmemory-policy', 'allkeys-lru')
    expect(await warned()).toEqual([]) // its memory has no bound
    await set('maxmemory', '100mb')
    expect(await warned()).toEqual([expect.stringContaining('{"policy":"allkeys-lru"}')])
    await set('maxmemory-policy', 'noeviction')
    expect(await warned()).toEqual([])
    client.close()
    await own.stop()
  })

  test('one that does not say how it is set up is within reach like any other', async () => {
    const own = await startValkey()
    const client = new Bun.RedisClient(own.url)
    await client.send('ACL', ['SETUSER', 'gate', 'on', '>word', '~*', '&*', '+@all', '-@dangerous'])
    const url = new URL(own.url)
    Object.assign(url, { username: 'gate', password: 'word' })
    const { counters, lines } = await open(freshPrefix(), 1_000, { url: url.href })
    await counters.admit(admission)
    await Bun.sleep(300) // it would be connected to anew by now
    expect(counters.isUnavailable()).toBeFalse()
    expect(lines).toEqual([])
    await counters.close()
    client.close()
    await own.stop()
  })

  test('one that hangs rejects all calls within a moment, and forgets nothing', async () => {
    const own = await startValkey()
    const { counters } = await open(freshPrefix(), 1_000, own)
    const backs: boolean[] = []
    counters.onBack((isEmpty) => backs.push(isEmpty))
    await counters.admit(admission)
    own.freeze()
    using time = startOwnTime()
    const calls = Array.from({ length: 20 }, () => counters.admit(admission))
    const ends = await Promise.allSettled(calls)
    expect(ends.every(({ status }) => status === 'rejected')).toBeTrue()
    expect(time.now()).toBeLessThan(400)
    expect(counters.isUnavailable()).toBeTrue()
    own.thaw()
    await until(() => !counters.isUnavailable())
    expect(backs).toEqual([false])
    await counters.close()
    await own.stop()
  })

  test('one that is emptied is noticed, and one that is not there from the beginning is no error', async () => {
    const own = await startValkey()
    const { counters } = await open(freshPrefix(), 400, own)
    const backs: boolean[] = []
    counters.onBack((isEmpty) => backs.push(isEmpty))
    await own.ask('FLUSHALL')
    await until(() => backs.length > 0)
    expect(backs).toEqual([true])
    await own.stop()
    const late = await open(freshPrefix(), 400, own)
    expect(late.counters.isUnavailable()).toBeTrue()
    expect(late.lines).toHaveLength(1)
    await own.start()
    await until(() => !late.counters.isUnavailable() && !counters.isUnavailable())
    await Promise.all([counters.close(), late.counters.close()])
    await own.stop()
  })
})
