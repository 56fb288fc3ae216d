import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createWatchdog, type Expiry, type Watchdog } from '../../src/gateway/upstream/watchdog.ts'

const limits = { firstByteMs: 1000, idleMs: 500, totalMs: 10_000 }

let now: number
let watchdog: Watchdog
let expiries: Expiry[]

beforeEach(() => {
  now = 5_000_000
  expiries = []
  watchdog = createWatchdog(() => now)
})
afterEach(() => watchdog.stop())

const watch = () => watchdog.watch(limits, (expiry) => expiries.push(expiry))

/** Lets the clock stand at a time long enough for the watchdog to look at it. */
async function lookAt(timeMs: number): Promise<void> {
  now = 5_000_000 + timeMs
  await new Promise((resolve) => setTimeout(resolve, 130))
}

describe('before the head of the answer', () => {
  test('the limit is the first byte, to the millisecond', async () => {
    watch()
    await lookAt(999)
    expect(expiries).toEqual([])
    await lookAt(1000)
    expect(expiries).toEqual(['first_byte'])
  })

  test('an expiry is told once', async () => {
    watch()
    await lookAt(1000)
    await lookAt(20_000)
    expect(expiries).toEqual(['first_byte'])
  })
})

describe('within the answer', () => {
  test('the limit is the silence since the last chunk', async () => {
    const entry = watch()
    now += 900
    entry.touched()
    await lookAt(1399)
    entry.touched()
    await lookAt(1898)
    expect(expiries).toEqual([])
    await lookAt(1899)
    expect(expiries).toEqual(['idle'])
  })

  test('a client that does not read is not the silence of its upstream', async () => {
    const entry = watch()
    entry.touched()
    entry.paused()
    await lookAt(9000)
    expect(expiries).toEqual([])
    entry.touched()
    await lookAt(9499)
    expect(expiries).toEqual([])
    await lookAt(9500)
    expect(expiries).toEqual(['idle'])
  })

  test.each(['touched', 'paused', 'passedOn'] as const)(
    'the whole has a limit too, when %s',
    async (last) => {
      const entry = watch()
      entry.touched()
      now += 9999
      entry[last]()
      await lookAt(9999)
      expect(expiries).toEqual([])
      await lookAt(10_000)
      expect(expiries).toEqual(['total'])
    },
  )
})

test('nothing expires when it has stopped, and others go on', async () => {
  const stopped = watch()
  watchdog.watch(limits, () => expiries.push('idle')).touched()
  stopped.stop()
  await lookAt(500)
  expect(expiries).toEqual(['idle'])
  await lookAt(50_000)
  expect(expiries).toEqual(['idle'])
})
