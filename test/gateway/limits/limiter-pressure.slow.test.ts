import { describe, expect, test } from 'bun:test'
import type { Limits } from '../../../src/store/ports/catalog.ts'
import { createSeeded } from '../../protocols/translation/seeded.ts'
import { rounds } from '../../support/rounds.ts'
import { createLimitScene, type Entering, subject } from './limit-scene.ts'

const minute = 60_000

describe('under pressure', () => {
  const minutes = rounds(8, 60)

  /** What is let in of clients that never rest, as `[tick, amount]`. */
  async function press(limits: Partial<Limits>, waitMs: number, sizes: readonly number[]) {
    const { ask, jump, tick, settled, entered, limiter } = createLimitScene()
    const random = createSeeded(sizes.length)
    const key = [subject('token', limits)]
    const sizeOf = new Map<Entering, number>()
    const found: [number, number][] = []
    const end = tick() + minutes * minute
    while (tick() < end) {
      // Some of those who were refused come again at once, and those who wait are many enough.
      for (let tries = waitMs > 0 ? 200 - sizeOf.size : 1000; tries > 0; tries--) {
        const size = random.pick(sizes)
        const entering = ask(key, size, waitMs)
        if (!entering.refused) sizeOf.set(entering, size)
        else if (random.once(2)) break
      }
      await settled()
      for (const entering of entered.splice(0)) {
        found.push([tick(), sizeOf.get(entering) ?? 0])
        sizeOf.delete(entering)
        entering.permit?.release()
      }
      jump(random.pick([1, 5, 20, 50]))
    }
    limiter.stop()
    return found
  }

  /** The most that was let in within a minute, wherever it begins. */
  function mostInMinute(found: readonly [number, number][]): number {
    let [most, sum, first] = [0, 0, 0]
    for (const [at, amount] of found) {
      sum += amount
      for (let oldest = found[first]; oldest && at - oldest[0] > minute; oldest = found[++first]) {
        sum -= oldest[1]
      }
      most = Math.max(most, sum)
    }
    return most
  }

  const total = (found: readonly [number, number][]) =>
    found.reduce((sum, [, size]) => sum + size, 0)

  test.each([
    [1, 0],
    [2, 0],
    [7, 61_000],
    [60, 0],
    [601, 5_000],
    [5000, 0],
  ])('of %d requests a minute all and no more are let in (waiting %d ms)', async (rpm, waitMs) => {
    const found = await press({ rpm }, waitMs, [1])
    expect(mostInMinute(found)).toBe(rpm)
    // Each place is taken by another in time, and so for ever.
    const places = found.slice(rpm).map(([at], before) => at - (found[before]?.[0] ?? 0))
    expect(Math.max(...places)).toBeLessThanOrEqual(minute / 0.99)
    expect(total(found)).toBeGreaterThanOrEqual(0.99 * rpm * minutes)
  })

  test.each([
    [10_000, 0],
    [10_000, 61_000],
    [250_000, 5_000],
  ])('so are %d LLM tokens a minute (waiting %d ms)', async (tpm, waitMs) => {
    const found = await press({ tpm }, waitMs, [1, 10, 20, 50])
    expect(mostInMinute(found)).toBeLessThanOrEqual(tpm)
    expect(total(found)).toBeGreaterThanOrEqual(0.99 * tpm * minutes)
  })
})

describe('while anybody waits', () => {
  test.each([1, 5, 50])('of %d places none is empty, and none taken twice', async (concurrency) => {
    const { ask, entered, settled } = createLimitScene()
    const random = createSeeded(concurrency)
    const key = [subject('token', { concurrency })]
    const open: Entering[] = []
    let waiting: Entering[] = []
    for (let step = 0; step < 2000; step++) {
      while (waiting.length < 100) waiting.push(ask(key, 0, minute))
      if (random.once(3)) random.pick(waiting).abort()
      for (let ends = random.below(open.length + 1); ends > 0; ends--) {
        const [ended] = open.splice(random.below(open.length), 1)
        ended?.permit?.release()
      }
      await settled()
      open.push(...entered.splice(0))
      waiting = waiting.filter(({ permit, thrown }) => !permit && !thrown)
      expect(open.length).toBe(concurrency)
    }
  })
})
