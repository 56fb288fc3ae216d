import { describe, expect, test } from 'bun:test'
import { afterRunning, createRunningClock } from '../../src/lib/clock.ts'

describe('the time in which the process runs', () => {
  const scene = () => {
    let now = 7_000
    const clock = createRunningClock(() => now)
    return (...gaps: readonly number[]) => {
      for (const gap of gaps) {
        now += gap
        clock()
      }
      return clock()
    }
  }

  test('goes on as the clock does, which is read often', () => {
    expect(scene()(100, 100, 7, 0, 250)).toBe(457)
  })

  test('stands while the process is stopped', () => {
    expect(scene()(100, 60_000, 100)).toBe(200)
    expect(scene()(100, 60_000, 100, 3_600_000, 100)).toBe(300)
  })

  test('goes on slowly where all looks are late: a starved process has limits, too', () => {
    expect(scene()(1_000, 1_000, 1_000, 1_000)).toBe(750)
  })
})

describe('what is done after some of it', () => {
  /** Keeps this process from doing anything, as one that is stopped. */
  const stop = (ms: number) => Bun.sleepSync(ms)

  test('is not done for the time in which the process was stopped', async () => {
    let isOver = false
    const callOff = afterRunning(1_000, () => {
      isOver = true
    })
    stop(1_200)
    await Bun.sleep(1) // a timer that is due comes before this one
    expect(isOver).toBeFalse()
    callOff()
  })

  test('is done, and not when it was called off', async () => {
    const over = Promise.withResolvers<string>()
    const callOff = afterRunning(10, () => over.resolve('called off'))
    callOff()
    afterRunning(30, () => over.resolve('over'))
    expect(await over.promise).toBe('over')
  })
})
