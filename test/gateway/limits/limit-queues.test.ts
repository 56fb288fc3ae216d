import { describe, expect, test } from 'bun:test'
import { graceMs } from '../../../src/gateway/limits/sliding-window.ts'
import { countIn, createLimitScene, type Entering, subject, times } from './limit-scene.ts'

const minute = 60_000

const names = (all: Readonly<Record<string, Entering>>) =>
  Object.keys(all).filter((name) => all[name]?.permit !== undefined)

describe('waiting', () => {
  test('those who wait are let in as they came', async () => {
    const { ask, settled } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    const waiting = times(5, () => ask(key, 0, 1000))
    for (let count = 1; count <= 5; count++) {
      await settled()
      expect(waiting.map(({ permit }) => permit !== undefined)).toEqual(
        times(5, (at) => at < count),
      )
      waiting[count - 1]?.permit?.release()
    }
  })

  test('who comes when a place becomes free does not overtake', async () => {
    const { ask, settled, jump } = createLimitScene()
    const key = [subject('token', { concurrency: 1, rpm: 2 })]
    const first = ask(key)
    const waiting = ask(key, 0, 2 * minute)
    first.permit?.release()
    const late = ask(key, 0, 2 * minute)
    await settled()
    expect([waiting.permit, late.permit]).toEqual([expect.anything(), undefined])
    waiting.permit?.release()
    jump(minute + graceMs - 1)
    await settled()
    expect(late.permit).toBeUndefined()
    jump(1) // no timer has looked yet
    const later = ask(key, 0, 2 * minute)
    await settled()
    expect([late.permit, later.permit]).toEqual([expect.anything(), undefined])
  })

  test('a small request does not overtake a large one', async () => {
    const { ask, settled, pass } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    ask(key, 60)
    const large = ask(key, 80, minute + graceMs)
    const small = ask(key, 10, minute + graceMs)
    await settled()
    expect(small.permit).toBeUndefined()
    pass(minute + graceMs)
    await settled()
    expect(countIn([large, small])).toBe(2)
  })

  test('a wait that is known to be too long is refused at once', async () => {
    const { ask, settled, pass } = createLimitScene()
    const key = [subject('token', { rpm: 2 })]
    ask(key)
    pass(10_000)
    ask(key)
    expect(ask(key, 0, 50_000 + graceMs - 1).refused?.details.retryAfter).toBe(50)
    const waiting = ask(key, 0, 50_000 + graceMs)
    // The next place is free 10 s later.
    expect(ask(key, 0, minute + graceMs - 1).refused?.details.retryAfter).toBe(60)
    const second = ask(key, 0, minute + graceMs)
    // And then the first of those who wait has to pass.
    const third = ask(key, 0, minute + graceMs)
    expect(third.refused?.message).toEndWith('Try again in 111 s.')
    pass(50_000 + graceMs + 10)
    await settled()
    expect([waiting.permit, second.permit]).toEqual([expect.anything(), undefined])
  })

  test('a wait that was too long is refused when its time is over', async () => {
    const { ask, settled, pass } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    ask(key)
    const [long, short] = [ask(key, 0, 5000), ask(key, 0, 1000)]
    pass(999)
    await settled()
    expect(short.refused).toBeUndefined()
    pass(11)
    await settled()
    expect([short.refused?.kind, long.refused]).toEqual(['concurrency_limited', undefined])
    pass(4000)
    await settled()
    expect(long.refused?.message).toBe('This key may make 1 request at once. Try again in 1 s.')
  })

  test('a wait of no time is none, but for the little that makes windows sure', async () => {
    const { ask, settled, pass, timers } = createLimitScene()
    const key = [subject('token', { rpm: 1 })]
    ask(key)
    pass(minute - 1)
    expect(ask(key).refused?.details.retryAfter).toBe(1)
    pass(1)
    const [patient, late] = times(2, () => ask(key))
    expect([patient?.refused, late?.refused?.details.retryAfter]).toEqual([undefined, 61])
    pass(graceMs)
    await settled()
    expect(patient?.permit).toBeDefined()
    expect(timers()).toBe(1) // the one that forgets
  })

  test('so many wait at most', () => {
    const { ask } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    const first = ask(key)
    const waiting = times(10_000, () => ask(key, 0, minute))
    const refused = ask(key, 0, minute)
    return Promise.resolve().then(() => {
      expect(refused.refused?.kind).toBe('concurrency_limited')
      expect(waiting.filter((each) => each.refused).length).toBe(0)
      first.permit?.release()
    })
  })

  test('changed limits let in who waits', async () => {
    const { ask, settled, pass } = createLimitScene()
    const key = (concurrency: number | null) => [subject('token', { concurrency })]
    ask(key(1))
    const waiting = times(4, () => ask(key(1), 0, minute))
    const next = ask(key(3), 0, minute)
    pass(10)
    await settled()
    expect(countIn([...waiting, next])).toBe(2)
    expect(ask(key(null)).permit).toBeDefined()
    await settled()
    expect(countIn([...waiting, next])).toBe(5)
  })

  test('less used than estimated, and what was not made, let in who waits', async () => {
    const { ask, settled } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    const [first, second] = [ask(key, 50), ask(key, 50)]
    const waiting = [ask(key, 30, 2 * minute), ask(key, 30, 2 * minute)]
    first.permit?.used(20)
    await settled()
    expect(countIn(waiting)).toBe(1)
    second.permit?.undo()
    await settled()
    expect(countIn(waiting)).toBe(2)
  })
})

describe('leaving', () => {
  test('who leaves the queue leaves nothing behind', async () => {
    const { ask, settled, timers } = createLimitScene()
    const key = subject('token', { rpm: 10, tpm: 100, concurrency: 3 })
    const group = subject('group', { concurrency: 1 })
    const first = ask([group])
    const waiting = [ask([key, group], 90, minute), ask([key, group], 20, 2 * minute)]
    expect(timers()).toBe(2)
    waiting[0]?.abort()
    await settled()
    expect(waiting[0]?.thrown).toBe('left')
    // The second one has its key's place now and stands in the group's queue.
    first.permit?.release()
    await settled()
    expect(countIn(waiting)).toBe(1)
    waiting[1]?.permit?.undo()
    expect(timers()).toBe(1)
    expect(ask([key], 100).permit).toBeDefined()
  })

  test('who had left before is not let in', () => {
    const { limiter, ask } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    const first = ask(key)
    const signal = AbortSignal.abort('gone')
    expect(() => limiter.acquire(key, 0, { waitMs: 1000, signal })).toThrow('gone')
    first.permit?.release()
    expect(ask(key).permit).toBeDefined()
  })

  test('who leaves after being let in keeps the place until it is given back', async () => {
    const { ask, settled } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    const first = ask(key)
    const waiting = ask(key, 0, 1000)
    first.permit?.release()
    waiting.abort()
    await settled()
    expect([waiting.permit, waiting.thrown]).toEqual([expect.anything(), undefined])
    expect(ask(key).permit).toBeUndefined()
    waiting.permit?.undo()
    expect(ask(key).permit).toBeDefined()
  })

  test('when the head leaves, those behind it may enter', async () => {
    const { ask, settled } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    ask(key, 60)
    const [large, small] = [ask(key, 80, 2 * minute), ask(key, 20, 2 * minute)]
    large.abort()
    await settled()
    expect(small.permit).toBeDefined()
  })

  test('who is sent away makes room for nobody who is sent away, too', async () => {
    const { ask, limiter, settled, timers } = createLimitScene()
    const [key, group] = [
      subject('token', { concurrency: 1 }),
      subject('group', { concurrency: 1 }),
    ]
    const first = ask([group])
    const waiting = times(3, () => ask([key, group], 0, minute))
    limiter.rejectAll('go')
    await settled()
    expect(waiting.map(({ thrown }) => thrown)).toEqual(['go', 'go', 'go'])
    first.permit?.release()
    expect(ask([key, group]).permit).toBeDefined()
    expect(timers()).toBe(1) // idle tallies are swept
  })

  test('at the end all that wait are refused, and no timer is left', async () => {
    const { ask, settled, timers, limiter, jump } = createLimitScene()
    const key = subject('token', { concurrency: 2 })
    const group = subject('group', { concurrency: 1 })
    const first = ask([group])
    const waiting = times(5, () => ask([key, group], 0, minute))
    limiter.stop()
    await settled()
    expect(waiting.map(({ refused }) => refused?.kind)).toEqual(times(5, () => 'no_channel'))
    expect(timers()).toBe(0)
    first.permit?.release()
    jump(minute)
    await settled()
    expect(countIn(waiting)).toBe(0)
    const newKey = subject('token', { concurrency: 1 }, 2)
    expect(countIn(times(2, () => ask([newKey, group], 0, minute)))).toBe(1)
    expect(timers()).toBe(0)
  })
})

describe('several subjects', () => {
  const group = subject('group', { concurrency: 1 })
  const [a, b] = [1, 2].map((id) => subject('token', { concurrency: 2 }, id)) as [
    ReturnType<typeof subject>,
    ReturnType<typeof subject>,
  ]

  test('who waits for the group does not hold up another key in its own queue', async () => {
    const { ask, settled } = createLimitScene()
    const other = subject('group', { concurrency: 1 }, 2)
    const first = ask([group])
    const waiting = {
      a1: ask([a, group], 0, minute),
      a2: ask([a, group], 0, minute),
      a3: ask([a, group], 0, minute),
      b1: ask([b, other], 0, minute),
      b2: ask([b], 0, minute),
    }
    await settled()
    expect(names(waiting)).toEqual(['b1', 'b2'])
    first.permit?.release()
    await settled()
    expect(names(waiting)).toEqual(['a1', 'b1', 'b2'])
  })

  test('places that are held are given back when a later one is refused', async () => {
    const { ask, settled, pass } = createLimitScene()
    ask([group])
    const waiting = times(2, () => ask([a, group], 0, 1000))
    const third = ask([a], 0, 5000)
    pass(990)
    await settled()
    expect(third.permit).toBeUndefined()
    pass(20)
    await settled()
    expect(waiting.map(({ refused }) => refused?.message)).toEqual(
      times(2, () => 'The group "group 1" may make 1 request at once. Try again in 1 s.'),
    )
    expect(third.permit).toBeDefined()
    expect(ask([a]).permit).toBeDefined()
  })

  test('a request counts from when it has all its places', async () => {
    const { ask, settled, pass } = createLimitScene()
    const key = subject('token', { rpm: 2, tpm: 100 })
    const first = ask([group])
    const held = times(2, () => ask([key, group], 50, 10 * minute))
    pass(5 * minute) // what is held does not pass
    expect(ask([key]).permit).toBeUndefined()
    first.permit?.release()
    await settled()
    held[0]?.permit?.release()
    await settled()
    expect(countIn(held)).toBe(2)
    expect(ask([key]).refused?.details.retryAfter).toBe(60)
    pass(minute - 1)
    expect(ask([key]).permit).toBeUndefined()
    pass(1 + graceMs)
    expect(countIn(times(3, () => ask([key], 50)))).toBe(2)
  })

  test('what is known of a later one is enough to refuse', () => {
    const { ask, pass } = createLimitScene()
    const slow = subject('group', { rpm: 1 }, 3)
    const key = subject('token', { concurrency: 1 })
    ask([slow])
    ask([key])
    pass(10_000)
    expect(ask([key, slow], 0, 30_000).refused?.message).toBe(
      'The group "group 3" may make 1 request a minute. Try again in 50 s.',
    )
  })

  test('thousands that are refused at once for a later one are no trouble', async () => {
    const { ask, settled } = createLimitScene()
    const key = subject('token', { concurrency: 1 })
    const slow = subject('group', { rpm: 1 }, 3)
    const first = ask([key])
    const waiting = times(9000, () => ask([key, slow], 0, 2000))
    ask([slow])
    first.permit?.release()
    await settled()
    expect(waiting.filter(({ refused }) => refused?.kind === 'rate_limited').length).toBe(9000)
    expect(ask([key]).permit).toBeDefined()
  })

  test('two kinds of limits that wait for each other are no deadlock', async () => {
    const { ask, settled } = createLimitScene()
    const account = subject('account', { concurrency: 2 })
    const asked: Entering[] = []
    for (let round = 0; round < 50; round++) {
      for (const key of [a, b]) asked.push(ask([key, account, group], 0, minute))
    }
    for (let round = 0; round < 100; round++) {
      await settled()
      expect(countIn(asked)).toBe(round + 1)
      for (const { permit } of asked) permit?.release()
    }
  })
})
