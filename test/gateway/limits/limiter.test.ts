import { describe, expect, test } from 'bun:test'
import { freePermit } from '../../../src/gateway/limits/permit.ts'
import { graceMs } from '../../../src/gateway/limits/sliding-window.ts'
import { shareOf } from '../../../src/gateway/limits/tally.ts'
import { countIn, createLimitScene, type Entering, subject, times } from './limit-scene.ts'

/** What a client is told. */
const told = ({ refused }: Entering) => ({
  kind: refused?.kind,
  status: refused?.status,
  says: refused?.message,
  retryAfter: refused?.details.retryAfter,
})

describe('requests a minute', () => {
  test('as many as allowed are let in, the next is told when to try again', () => {
    const { ask } = createLimitScene()
    const asked = times(61, () => ask([subject('token', { rpm: 60 })]))
    expect(countIn(asked)).toBe(60)
    expect(told(asked[60] as Entering)).toEqual({
      kind: 'rate_limited',
      status: 429,
      says: 'This key may make 60 requests a minute. Try again in 60 s.',
      retryAfter: 60,
    })
  })

  test('a minute is any 60 seconds', async () => {
    const { ask, pass, settled } = createLimitScene()
    const key = [subject('token', { rpm: 2 })]
    ask(key)
    pass(45_000)
    ask(key)
    pass(14_999)
    expect(told(ask(key)).retryAfter).toBe(1)
    pass(1)
    const third = ask(key) // 60 s after the first: it waits for the little that makes it sure
    pass(graceMs + 50)
    await settled()
    expect(third.permit).toBeDefined()
    expect(told(ask(key)).retryAfter).toBe(45)
  })

  test('Retry-After is whole seconds, rounded up', () => {
    const { ask, pass } = createLimitScene()
    const key = [subject('token', { rpm: 1 })]
    ask(key)
    const waits = times(5, () => {
      pass(11_600)
      return told(ask(key)).retryAfter
    })
    expect(waits).toEqual([49, 37, 26, 14, 2])
  })

  test.each([
    ['token', 'This key'],
    ['account', 'This account'],
    ['group', 'The group "默认【官转·稳定】"'],
  ] as const)('a refusal says that it is the limit of the %s', (kind, whose) => {
    const { ask } = createLimitScene()
    const one = [subject(kind, { rpm: 1 }, 1, '默认【官转·稳定】')]
    ask(one)
    expect(ask(one).refused?.message).toBe(
      `${whose} may make 1 request a minute. Try again in 60 s.`,
    )
  })

  test('the longest time is told of several limits, and whose it is', () => {
    const { ask, pass } = createLimitScene()
    const key = subject('token', { rpm: 1 })
    const account = subject('account', { rpm: 1 })
    ask([account])
    pass(20_000)
    ask([key])
    expect(ask([key, account]).refused?.message).toMatch(/^This key .* in 60 s\.$/)
    expect(ask([subject('token', { rpm: 1 }, 2), account]).refused?.message).toMatch(
      /^This account .* in 40 s\.$/,
    )
  })

  test('what is refused for one subject is not counted for another', () => {
    const { ask } = createLimitScene()
    const group = subject('group', { rpm: 1 })
    const key = subject('token', { rpm: 2, concurrency: 2, tpm: 10 })
    ask([group])
    expect(countIn(times(5, () => ask([key, group], 5)))).toBe(0)
    expect(countIn(times(5, () => ask([key], 5)))).toBe(2)
  })

  test('subjects of one kind, and of one id, are counted apart', () => {
    const { ask } = createLimitScene()
    const kinds = ['token', 'account', 'group', 'channel'] as const
    const all = [1, 2, 3, 4, 5].flatMap((id) => kinds.map((kind) => subject(kind, { rpm: 1 }, id)))
    expect(countIn(all.map((one) => ask([one])))).toBe(all.length)
    expect(countIn(all.map((one) => ask([one])))).toBe(0)
  })

  test('a request that was not made is not counted', () => {
    const { ask } = createLimitScene()
    const key = [subject('token', { rpm: 1, tpm: 10, concurrency: 1 })]
    ask(key, 10).permit?.undo()
    const second = ask(key, 10)
    expect(second.permit).toBeDefined()
    second.permit?.release()
    second.permit?.undo()
    second.permit?.undo()
    expect(ask(key, 10).permit).toBeDefined()
    expect(ask(key, 10).permit).toBeUndefined()
  })
})

describe('requests at once', () => {
  test('a place is free again when a request has ended, once', () => {
    const { ask } = createLimitScene()
    const key = [subject('token', { concurrency: 2 })]
    const [first] = times(2, () => ask(key))
    expect(told(ask(key))).toEqual({
      kind: 'concurrency_limited',
      status: 429,
      says: 'This key may make 2 requests at once. Try again in 1 s.',
      retryAfter: 1,
    })
    first?.permit?.release()
    first?.permit?.release()
    first?.permit?.undo()
    expect(countIn(times(3, () => ask(key)))).toBe(1)
  })

  test('a request that lasts long keeps its place', () => {
    const { ask, pass } = createLimitScene()
    const key = [subject('token', { concurrency: 1 })]
    const long = ask(key)
    pass(3_600_000)
    expect(ask(key).permit).toBeUndefined()
    long.permit?.release()
    expect(ask(key).permit).toBeDefined()
  })
})

describe('LLM tokens a minute', () => {
  test('estimates count until the true figure is known', () => {
    const { ask } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    const first = ask(key, 60)
    expect(told(ask(key, 41))).toMatchObject({
      kind: 'rate_limited',
      says: 'This key may use 100 LLM tokens a minute. Try again in 60 s.',
    })
    first.permit?.used(50)
    expect(ask(key, 51).permit).toBeUndefined()
    expect(ask(key, 50).permit).toBeDefined()
    expect(ask(key, 0).permit).toBeDefined()
  })

  test('what was used beyond the estimate counts from when it is known', () => {
    const { ask, pass } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    const first = ask(key, 60)
    pass(30_000)
    first.permit?.used(160)
    expect(told(ask(key, 10)).retryAfter).toBe(60)
    pass(31_000) // the estimate no longer counts, the rest does: all there is
    expect(ask(key, 1).permit).toBeUndefined()
    pass(30_000)
    expect(ask(key, 100).permit).toBeDefined()
  })

  test('the true figure counts once, and not at all for a request that was not made', () => {
    const { ask } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    const first = ask(key, 50)
    first.permit?.used(40)
    first.permit?.used(0)
    expect(ask(key, 61).permit).toBeUndefined()
    const second = ask(key, 60)
    second.permit?.undo()
    second.permit?.used(1000)
    expect(ask(key, 60).permit).toBeDefined()
  })

  test('a true figure that comes after its minute gives nothing back to later ones', () => {
    const { ask, pass } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    const first = ask(key, 100)
    pass(61_000)
    ask(key, 100)
    first.permit?.used(0)
    first.permit?.undo()
    expect(ask(key, 1).permit).toBeUndefined()
  })

  test('a request above the limit is let in alone', () => {
    const { ask, pass } = createLimitScene()
    const key = [subject('token', { tpm: 100 })]
    ask(key, 1)
    expect(told(ask(key, 500)).retryAfter).toBe(60)
    pass(61_000)
    expect(ask(key, 500).permit).toBeDefined()
    expect(told(ask(key, 1)).retryAfter).toBe(60)
  })
})

describe('changed limits', () => {
  test('hold at once, for what was counted before, too', () => {
    const { ask } = createLimitScene()
    const key = (rpm: number | null, tpm: number | null = null) => [subject('token', { rpm, tpm })]
    times(3, () => ask(key(10), 50))
    expect(ask(key(3)).permit).toBeUndefined()
    expect(ask(key(4)).permit).toBeDefined()
    expect(ask(key(null, 150), 1).permit).toBeUndefined()
    expect(ask(key(null)).permit).toBe(freePermit)
    expect(ask(key(4)).permit).toBeUndefined()
  })
})

describe('without limits', () => {
  test('nothing is remembered, and no timer runs', () => {
    const { ask, timers } = createLimitScene()
    const all = (['token', 'account', 'group'] as const).map((kind) => subject(kind, {}))
    expect(times(3, () => ask(all, 1e9).permit)).toEqual([freePermit, freePermit, freePermit])
    expect(timers()).toBe(0)
  })
})

describe('channels', () => {
  test('are entered at once or not at all, and tell which limit, and for how long', () => {
    const { limiter, pass } = createLimitScene()
    const channel = subject('channel', { rpm: 2, concurrency: 1 })
    const first = limiter.tryAcquire(channel, 5)
    expect(limiter.tryAcquire(channel, 5)).toEqual({
      subject: channel,
      limit: 'concurrency',
      retryAfterMs: 1000,
    })
    if ('release' in first) first.release()
    const second = limiter.tryAcquire(channel, 5)
    if ('release' in second) second.release()
    const third = limiter.tryAcquire(channel, 5)
    expect(third).toMatchObject({ limit: 'rpm' })
    if (!('retryAfterMs' in third)) throw new Error('it was let in')
    pass(third.retryAfterMs - 1)
    expect(limiter.tryAcquire(channel, 5)).toMatchObject({ limit: 'rpm', retryAfterMs: 1 })
    pass(1)
    expect(limiter.tryAcquire(channel, 5)).toHaveProperty('release')
  })

  test('without limits they cost nothing', () => {
    const { limiter } = createLimitScene()
    expect(limiter.tryAcquire(subject('channel', {}), 5)).toBe(freePermit)
  })
})

test('a node’s share of limits is its part, rounded down, and 1 at least; the stated ones stay', () => {
  const whole = subject('token', { rpm: 10, tpm: 3, concurrency: null })
  const { limits, stated } = shareOf(whole, 4)
  expect(limits).toEqual({ rpm: 2, tpm: 1, concurrency: null })
  expect(stated).toEqual(whole.limits)
})
