import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Counters } from '../../../src/store/ports/counters.ts'
import { CountersUnavailable } from '../../../src/store/ports/counters.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { startOwnTime } from '../../support/own-time.ts'
import {
  describeWithValkey,
  freshPrefix,
  leaseLeftMs,
  startValkey,
  type Valkey,
} from '../../support/valkey.ts'
import { counted, promiseOfCounters } from '../counters-promises.ts'

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

/** The server's clock. */
const serverMs = async (): Promise<number> => {
  const [seconds, micros] = (await valkey.ask('TIME')) as readonly string[]
  return Number(seconds) * 1000 + Number(micros) / 1000
}

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

  promiseOfCounters(() => {
    const prefix = freshPrefix()
    return { open: async (leaseMs) => (await open(prefix, leaseMs)).counters, nowMs: serverMs }
  })

  describe('slots', () => {
    test('have leases', async () => {
      const prefix = freshPrefix()
      const { counters } = await open(prefix, 60_000)
      const key = counted('token:1', { concurrency: 2 })
      await counters.admit({ counted: [key], llmTokens: 0, slot: 'one' })
      expect(await leaseLeftMs(valkey, `${prefix}:slots:token:1`)).toBeWithin(1, 60_001)
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
