import { describe, expect, test } from 'bun:test'
import type { HealthFailure } from '../../../src/gateway/channels/cooling-table.ts'
import { createHealth, type Standing, type Use } from '../../../src/gateway/channels/health.ts'
import type { Cooling } from '../../../src/gateway/failures/failures.ts'
import { channelOf, createLines, createMemoryHealth, createTime, markOf } from './choosing-scene.ts'

const first = channelOf(1, { name: 'first', keys: ['key-1', 'key-2'] })
const second = channelOf(2, { name: 'second' })

const coolingOf = (changes: Partial<Cooling> = {}): Cooling => ({
  ...{ scope: 'channel', strikes: 1, baseMs: 2_000, capMs: 60_000 },
  ...changes,
})
const failureOf = (changes: Partial<Cooling> = {}, retryAfterMs?: number): HealthFailure => ({
  name: 'upstream_failed',
  cools: coolingOf(changes),
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

function createPatient() {
  const { clock, tick, pass } = createTime()
  const { lines, log } = createLines()
  const { store } = createMemoryHealth()
  const health = createHealth({ clock, tick, store, keyMark: markOf, log })
  const begin = (key = 'key-1', model = 'm-1', channel = first) => health.begin(channel, key, model)
  const finish = (use: Use) => {
    health.succeeded(use)
    health.ended(use)
  }
  return {
    ...{ health, pass, clock, lines, begin, finish },
    standing: (key = 'key-1', model = 'm-1') => health.standing(first, key, model),
    coolingMs: (key = 'key-1', model = 'm-1') => health.coolingMs(first, key, model),
    /** A request that fails. */
    fail(failure: HealthFailure, ...at: Parameters<typeof begin>) {
      const use = begin(...at)
      health.failed(use, failure)
      health.ended(use)
    },
    /** A request that is answered. */
    succeed: (...at: Parameters<typeof begin>) => finish(begin(...at)),
    /** An answer that begins well, and breaks. */
    break(failure: HealthFailure) {
      const use = begin()
      health.succeeded(use)
      health.failed(use, failure)
      health.ended(use)
    },
  }
}

describe('what cools', () => {
  const places = [
    ['key-1', 'm-1'],
    ['key-1', 'm-2'],
    ['key-2', 'm-1'],
    ['key-2', 'm-2'],
  ] as const
  const scopes: Record<Cooling['scope'], readonly Standing[]> = {
    channel: ['cooling', 'cooling', 'cooling', 'cooling'],
    key: ['cooling', 'cooling', 'ready', 'ready'],
    model: ['cooling', 'ready', 'cooling', 'ready'],
    'key-model': ['cooling', 'ready', 'ready', 'ready'],
  }
  test.each(Object.keys(scopes) as Cooling['scope'][])('the scope %s', (scope) => {
    const { health, fail, standing } = createPatient()
    fail(failureOf({ scope }))
    expect(places.map(([key, model]) => standing(key, model))).toEqual([...scopes[scope]])
    expect(health.standing(second, 'key-1', 'm-1')).toBe('ready')
  })

  test('nothing, for a failure that says nothing of the channel', () => {
    const { health, standing, begin } = createPatient()
    for (let i = 0; i < 100; i++) {
      const use = begin()
      health.failed(use, { name: 'client_fault', cools: null, retryAfterMs: 60_000 })
      health.ended(use)
    }
    expect(standing()).toBe('ready')
  })

  test('is listed with its cause while it cools', () => {
    const { health, fail, pass, clock } = createPatient()
    expect(health.coolings()).toEqual([])
    fail(failureOf({ scope: 'key-model' }))
    expect(health.coolings()).toEqual([
      {
        ...{ channelId: 1, key: markOf('key-1'), model: 'm-1', cause: 'upstream_failed' },
        ...{ since: clock(), until: clock() + 2_000, rounds: 1 },
      },
    ])
    pass(2_000)
    expect(health.coolings()).toEqual([])
  })

  test('is told in the log once, without the key', () => {
    const { fail, lines, pass, succeed } = createPatient()
    fail(failureOf({ scope: 'key' }))
    fail(failureOf({ scope: 'key' }))
    pass(2_000)
    succeed()
    expect(lines).toEqual([
      {
        message: 'channel cools',
        fields: {
          ...{ channel: 'first', key: markOf('key-1') },
          ...{ cause: 'upstream_failed', for_ms: 2_000, rounds: 1 },
        },
      },
      {
        message: 'channel is well again',
        fields: { channel: 'first', key: markOf('key-1') },
      },
    ])
    expect(JSON.stringify(lines)).not.toContain('key-1')
  })
})

describe('failures in a row', () => {
  test('begin a cooling when there are enough of them', () => {
    const { fail, standing } = createPatient()
    fail(failureOf({ strikes: 3 }))
    fail(failureOf({ strikes: 3 }))
    expect(standing()).toBe('ready')
    fail(failureOf({ strikes: 3 }))
    expect(standing()).toBe('cooling')
  })

  test('are counted for each part of the channel', () => {
    const { fail, standing } = createPatient()
    fail(failureOf({ strikes: 2, scope: 'model' }), 'key-1', 'm-1')
    fail(failureOf({ strikes: 2, scope: 'model' }), 'key-1', 'm-2')
    fail(failureOf({ strikes: 2, scope: 'channel' }))
    expect([standing('key-1', 'm-1'), standing('key-1', 'm-2')]).toEqual(['ready', 'ready'])
  })

  test('are no row with an answer between them', () => {
    const { fail, succeed, standing } = createPatient()
    for (let i = 0; i < 20; i++) {
      fail(failureOf({ strikes: 2 }))
      expect(standing()).toBe('ready')
      succeed()
    }
  })

  test('are no row with an answer that has begun, however long it goes on', () => {
    const { health, fail, begin, standing } = createPatient()
    for (let i = 0; i < 20; i++) {
      fail(failureOf({ strikes: 2 }))
      expect(standing()).toBe('ready')
      health.succeeded(begin())
    }
  })

  test('are no row when they lie far apart', () => {
    const { fail, pass, standing } = createPatient()
    for (let i = 0; i < 5; i++) {
      fail(failureOf({ strikes: 2 }))
      expect(standing()).toBe('ready')
      pass(600_001)
    }
  })

  test('count when all answers begin well and break', () => {
    const { break: breakOff, standing } = createPatient()
    breakOff(failureOf({ strikes: 2 }))
    expect(standing()).toBe('ready')
    breakOff(failureOf({ strikes: 2 }))
    expect(standing()).toBe('cooling')
  })

  test('that broke are no row with an answer that has come to its end', () => {
    const { break: breakOff, fail, succeed, standing } = createPatient()
    fail(failureOf())
    succeed()
    for (let i = 0; i < 20; i++) {
      breakOff(failureOf({ strikes: 2 }))
      expect(standing()).toBe('ready')
      succeed()
    }
  })
})

describe('how long it cools', () => {
  test('twice as long each time, up to the cap', () => {
    const { fail, coolingMs, pass } = createPatient()
    const found = Array.from({ length: 8 }, () => {
      fail(failureOf())
      const ms = coolingMs()
      pass(ms)
      return ms
    })
    expect(found).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  test('as at first, after it was well', () => {
    const { fail, succeed, coolingMs, pass } = createPatient()
    fail(failureOf())
    pass(2_000)
    fail(failureOf())
    pass(4_000)
    succeed()
    expect(coolingMs()).toBe(0)
    fail(failureOf())
    expect(coolingMs()).toBe(2_000)
  })

  test('as long as the upstream asks, be it less or more', () => {
    for (const askedMs of [1_000, 1_500, 7_000, 300_000]) {
      const { fail, coolingMs } = createPatient()
      fail(failureOf({ strikes: 2 }, askedMs))
      expect(coolingMs()).toBe(0) // one failure may be the doing of one request
      fail(failureOf({ strikes: 2 }, askedMs))
      expect(coolingMs()).toBe(askedMs)
    }
  })

  test('within reason: a second at least, an hour at most', () => {
    for (const [askedMs, ms] of [
      [0, 1_000],
      [20.5, 1_000],
      [1e12, 3_600_000],
      [Number.POSITIVE_INFINITY, 3_600_000],
    ] as const) {
      const { fail, coolingMs } = createPatient()
      fail(failureOf({}, askedMs))
      expect(coolingMs()).toBe(ms)
    }
  })

  test('from its first failure on: two hundred that fail together are one', () => {
    const { health, begin, coolingMs, pass } = createPatient()
    const uses = Array.from({ length: 200 }, () => begin())
    for (const use of uses) health.failed(use, failureOf({ strikes: 3 }))
    expect(coolingMs()).toBe(2_000)
    expect(health.coolings()[0]?.rounds).toBe(1)
    pass(2_000)
    for (const use of uses) health.failed(use, failureOf({ strikes: 3 }))
    expect(coolingMs()).toBe(0)
  })

  test('not longer for what is let through meanwhile and fails', () => {
    const { fail, coolingMs, health } = createPatient()
    for (let i = 0; i < 50; i++) fail(failureOf())
    expect(coolingMs()).toBe(2_000)
    expect(health.coolings()[0]?.rounds).toBe(1)
  })

  test('longer when the upstream asks one of them for more time', () => {
    const { health, begin, fail, coolingMs, clock } = createPatient()
    const before = begin()
    fail(failureOf())
    health.failed(before, failureOf({}, 9_000))
    expect(coolingMs()).toBe(9_000)
    fail(failureOf({}, 3_000))
    expect(coolingMs()).toBe(9_000)
    expect(health.coolings()).toMatchObject([{ until: clock() + 9_000, rounds: 1 }])
  })
})

describe('the trial', () => {
  test('is one request’s, once the time has passed; the others wait', () => {
    const { fail, standing, coolingMs, pass, begin } = createPatient()
    fail(failureOf())
    pass(1_999)
    expect(standing()).toBe('cooling')
    pass(1)
    expect([standing(), coolingMs()]).toEqual(['trial', 0])
    const trial = begin()
    expect(trial.isTrial).toBeTrue()
    expect([standing(), begin().isTrial]).toEqual(['cooling', false])
    expect(coolingMs()).toBe(60_000)
  })

  test('ends the cooling when it is answered, and all may come', () => {
    const { health, fail, standing, pass, begin } = createPatient()
    fail(failureOf())
    pass(2_000)
    const trial = begin()
    health.succeeded(trial)
    expect([standing(), begin().isTrial]).toEqual(['ready', false])
  })

  test('begins the next cooling when it fails', () => {
    const { fail, standing, pass, coolingMs, health } = createPatient()
    fail(failureOf({ strikes: 1 }))
    pass(2_000)
    fail(failureOf({ strikes: 5 }))
    expect([standing(), coolingMs()]).toEqual(['cooling', 4_000])
    expect(health.coolings()[0]?.rounds).toBe(2)
  })

  test('is another one’s when it was given up without a word', () => {
    const { health, fail, standing, pass, begin } = createPatient()
    fail(failureOf())
    pass(2_000)
    health.ended(begin())
    expect(standing()).toBe('trial')
  })

  test('is another one’s when what failed was something else', () => {
    const { health, fail, standing, pass, begin } = createPatient()
    fail(failureOf({ scope: 'key' }))
    pass(2_000)
    const trial = begin()
    health.failed(trial, { name: 'client_fault', cools: null })
    expect(standing()).toBe('trial')
  })

  test('is another one’s after a minute of silence', () => {
    const { health, fail, standing, pass, begin } = createPatient()
    fail(failureOf())
    pass(2_000)
    const silent = begin()
    pass(59_999)
    expect(standing()).toBe('cooling')
    pass(1)
    expect(standing()).toBe('trial')
    const trial = begin()
    expect(trial.isTrial).toBeTrue()
    health.ended(silent)
    expect(standing()).toBe('cooling')
    health.succeeded(trial)
    expect(standing()).toBe('ready')
  })

  test('is begun anew with each cooling, whoever still tries', () => {
    const { fail, standing, pass, begin } = createPatient()
    fail(failureOf({ scope: 'key' }))
    fail(failureOf({ scope: 'model', strikes: 2 }))
    pass(2_000)
    expect(begin().isTrial).toBeTrue()
    fail(failureOf({ scope: 'model', strikes: 2 }), 'key-2')
    fail(failureOf({ scope: 'key' }), 'key-2', 'm-2')
    pass(2_000)
    expect(standing('key-2', 'm-1')).toBe('trial')
  })

  test('is no longer one’s whose channel has cooled once more', () => {
    const { health, fail, standing, pass, begin } = createPatient()
    fail(failureOf())
    pass(2_000)
    const trial = begin()
    fail(failureOf()) // let through beside it
    pass(3_999)
    expect(standing()).toBe('cooling')
    pass(1)
    expect(standing()).toBe('trial')
    health.ended(trial)
  })

  test('waits until all that cools has passed', () => {
    const { fail, standing, pass } = createPatient()
    fail(failureOf({ scope: 'key', baseMs: 2_000 }))
    fail(failureOf({ scope: 'model', baseMs: 5_000 }))
    pass(2_000)
    expect([standing('key-1', 'm-1'), standing('key-1', 'm-2')]).toEqual(['cooling', 'trial'])
    pass(3_000)
    expect(standing('key-1', 'm-1')).toBe('trial')
  })
})

describe('an answer', () => {
  test('ends what it disproves, and nothing else', () => {
    const { fail, standing, succeed } = createPatient()
    for (const scope of ['channel', 'key', 'model', 'key-model'] as const)
      fail(failureOf({ scope }))
    fail(failureOf({ scope: 'key' }), 'key-2')
    fail(failureOf({ scope: 'model' }), 'key-1', 'm-2')
    succeed('key-1', 'm-1')
    expect(standing('key-1', 'm-1')).toBe('ready')
    expect(standing('key-2', 'm-1')).toBe('cooling')
    expect(standing('key-1', 'm-2')).toBe('cooling')
  })

  test('to a request that is older than the cooling disproves nothing', () => {
    const { fail, finish, begin, standing } = createPatient()
    const before = begin()
    fail(failureOf())
    finish(before)
    expect(standing()).toBe('cooling')
    finish(begin())
    expect(standing()).toBe('ready')
  })

  test('outlives the failures of requests that are older than the cooling', () => {
    const { health, begin, fail, succeed, pass, standing } = createPatient()
    const hanging = Array.from({ length: 20 }, () => begin())
    fail(failureOf())
    pass(2_000)
    succeed()
    for (const use of hanging) health.failed(use, failureOf({ strikes: 2 }))
    expect(standing()).toBe('ready')
    fail(failureOf())
    expect(standing()).toBe('cooling')
  })
})

describe('memory', () => {
  test('is bounded, whatever fails', () => {
    const { health, fail } = createPatient()
    for (let i = 0; i < 12_000; i++) fail(failureOf({ scope: 'model' }), 'key-1', `m-${i}`)
    expect(health.coolings().length).toBe(10_000)
    expect(health.standing(first, 'key-1', 'm-11999')).toBe('cooling')
    expect(health.standing(first, 'key-1', 'm-0')).toBe('ready')
  })

  test('lets go of what nobody has tried for an hour', () => {
    const { health, fail, pass } = createPatient()
    fail(failureOf())
    pass(3_602_000)
    expect(health.standing(first, 'key-1', 'm-1')).toBe('trial')
    pass(1)
    fail(failureOf({ strikes: 9 }), 'key-3', 'm-3', second)
    expect(health.standing(first, 'key-1', 'm-1')).toBe('ready')
  })

  test('holds no clock that is set: what cools ends in its time', () => {
    const { tick, pass } = createTime()
    const { log } = createLines()
    let wall = 5_000_000
    const { store } = createMemoryHealth()
    const health = createHealth({ clock: () => wall, tick, store, keyMark: markOf, log })
    health.failed(health.begin(first, 'key-1', 'm-1'), failureOf())
    wall -= 3_600_000
    pass(2_000)
    expect(health.standing(first, 'key-1', 'm-1')).toBe('trial')
  })
})
