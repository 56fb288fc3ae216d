import { describe, expect, test } from 'bun:test'
import { createLoad, seriesOf } from '../../../src/gateway/channels/load.ts'
import { isSlow } from '../../../src/gateway/channels/ranking.ts'
import { createTime } from './choosing-scene.ts'

describe('requests under way', () => {
  test('are counted for each channel of a pool until they end', () => {
    const load = createLoad(createTime().tick)
    for (let i = 0; i < 3; i++) load.began('a', 1)
    load.began('a', 2)
    load.began('b', 1)
    load.ended('a', 1)
    load.ended('b', 1)
    const found = (['a', 'b'] as const).map((pool) =>
      [1, 2, 3].map((id) => load.inFlight(pool, id)),
    )
    expect(found).toEqual([
      [2, 1, 0],
      [0, 0, 0],
    ])
  })
})

describe('the time to the first byte', () => {
  test('is a mean in which newer answers count more', () => {
    const load = createLoad(createTime().tick)
    for (const ms of [100, 100, 100, 300]) load.sample(1, 'm', ms)
    expect(load.firstByte(1, 'm')?.meanMs).toBeCloseTo(180)
    load.sample(1, 'm', 300)
    expect(load.firstByte(1, 'm')?.meanMs).toBeCloseTo(228)
  })

  test('forgets the old ones the faster, the longer ago they are', () => {
    const { tick, pass } = createTime()
    const load = createLoad(tick)
    for (const channelId of [1, 2]) load.sample(channelId, 'm', 1_000)
    load.sample(1, 'm', 100)
    pass(60_000)
    load.sample(2, 'm', 100)
    const means = [1, 2].map((channelId) => load.firstByte(channelId, 'm')?.meanMs ?? 0)
    expect(means[0]).toBeCloseTo(640)
    expect(means[1]).toBeCloseTo(235)
  })

  test('is not known for a channel, a model or a way that has not answered', () => {
    const load = createLoad(createTime().tick)
    load.sample(1, seriesOf('m', true), 100)
    expect(load.firstByte(1, seriesOf('m', true))?.samples).toBe(1)
    expect(load.firstByte(1, seriesOf('m', false))).toBeUndefined()
    expect(load.firstByte(1, seriesOf('n', true))).toBeUndefined()
    expect(load.firstByte(2, seriesOf('m', true))).toBeUndefined()
  })

  test('is not known any more after two minutes without an answer, and is begun anew', () => {
    const { tick, pass } = createTime()
    const load = createLoad(tick)
    for (let i = 0; i < 5; i++) load.sample(1, 'm', 9_000)
    pass(120_000)
    expect(load.firstByte(1, 'm')?.samples).toBe(5)
    pass(1)
    expect(load.firstByte(1, 'm')).toBeUndefined()
    load.sample(1, 'm', 50)
    expect(load.firstByte(1, 'm')).toMatchObject({ meanMs: 50, samples: 1 })
  })

  test('is known of so many that memory is bounded', () => {
    const { tick, pass } = createTime()
    const load = createLoad(tick)
    for (let i = 0; i < 10_000; i++) load.sample(i % 10, `m-${i}`, 100)
    pass(120_001)
    load.sample(1, 'new', 100)
    expect(load.firstByte(1, 'new')).toBeDefined()
    // All of them known: rather none than more.
    for (let i = 0; i < 10_000; i++) load.sample(i % 10, `n-${i}`, 100)
    const known = Array.from({ length: 10_000 }, (_, i) => load.firstByte(i % 10, `n-${i}`))
    expect(known.filter((figure) => figure).length).toBeLessThan(10_000)
    expect(load.firstByte(9, 'n-9999')).toBeDefined()
  })
})

describe('slow', () => {
  const figureOf = (...samples: readonly number[]) => {
    const load = createLoad(createTime().tick)
    for (const ms of samples) load.sample(1, 'm', ms)
    return load.firstByte(1, 'm')
  }
  test('is what takes three times as long as the best, and a second more', () => {
    expect(isSlow(figureOf(1_300, 1_300), 200)).toBeTrue()
    expect(isSlow(figureOf(1_100, 1_100), 200)).toBeFalse()
    expect(isSlow(figureOf(2_900, 2_900), 1_000)).toBeFalse()
    expect(isSlow(figureOf(3_100, 3_100), 1_000)).toBeTrue()
  })

  test('is not what nobody is known to be faster than', () => {
    expect(isSlow(figureOf(60_000, 60_000), Number.POSITIVE_INFINITY)).toBeFalse()
    expect(isSlow(undefined, 10)).toBeFalse()
  })

  test('is not told by one answer, be it the first or the worst of many', () => {
    expect(isSlow(figureOf(60_000), 200)).toBeFalse()
    expect(isSlow(figureOf(...Array.from({ length: 20 }, () => 200), 60_000), 200)).toBeFalse()
  })

  test('is told by the second one', () => {
    for (const ms of [2_000, 5_000, 60_000]) {
      const usual = Array.from({ length: 20 }, () => 200)
      expect([ms, isSlow(figureOf(...usual, ms, ms), 200)]).toEqual([ms, true])
      expect([ms, isSlow(figureOf(ms, ms), 200)]).toEqual([ms, true])
    }
  })
})
