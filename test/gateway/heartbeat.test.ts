import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { beat, createHeartbeats, type Heartbeats } from '../../src/gateway/relay/heartbeat.ts'

// How long a stream may be silent towards its client. The clock is the test's.

let now: number
let heartbeats: Heartbeats

beforeEach(() => {
  now = 1_000
  heartbeats = createHeartbeats(() => now, { firstMs: 250, everyMs: 150 })
})
afterEach(() => heartbeats.stop())

/** Lets the clock stand at a time long enough to be looked at. */
async function lookAt(timeMs: number): Promise<void> {
  now = 1_000 + timeMs
  await Bun.sleep(70)
}

/** What a waiting has come to by now. */
function watched(waiting: Promise<unknown>): { result: unknown } {
  const seen = { result: 'nothing yet' as unknown }
  waiting.then(
    (result) => {
      seen.result = result
    },
    (error) => {
      seen.result = error
    },
  )
  return seen
}

const never = new Promise<string>(() => {})

describe('before anything was sent', () => {
  test('the first heartbeat is due later than the others, to the millisecond', async () => {
    const waiting = watched(heartbeats.begin().next(never))
    await lookAt(249)
    expect(waiting.result).toBe('nothing yet')
    await lookAt(250)
    expect(waiting.result).toBe(beat)
  })

  test('what comes in time comes as it is, an error too', async () => {
    const heartbeat = heartbeats.begin()
    expect(await heartbeat.next(Promise.resolve('an answer'))).toBe('an answer')
    await expect(heartbeat.next(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })
})

describe('while a stream runs', () => {
  test('silence is counted from what was sent last', async () => {
    const heartbeat = heartbeats.begin()
    now += 100
    heartbeat.sent()
    const waiting = watched(heartbeat.next(never))
    await lookAt(249)
    expect(waiting.result).toBe('nothing yet')
    await lookAt(250)
    expect(waiting.result).toBe(beat)
  })

  test('a heartbeat that was sent begins a new silence', async () => {
    const heartbeat = heartbeats.begin()
    const first = watched(heartbeat.next(never))
    await lookAt(250)
    expect(first.result).toBe(beat)
    heartbeat.sent()
    const second = watched(heartbeat.next(never))
    await lookAt(399)
    expect(second.result).toBe('nothing yet')
    await lookAt(400)
    expect(second.result).toBe(beat)
  })

  test('what was waited for is not lost by a heartbeat', async () => {
    const heartbeat = heartbeats.begin()
    const { promise, resolve } = Promise.withResolvers<string>()
    const first = watched(heartbeat.next(promise))
    await lookAt(250)
    expect(first.result).toBe(beat)
    heartbeat.sent()
    const second = heartbeat.next(promise)
    resolve('the next bytes')
    expect(await second).toBe('the next bytes')
  })

  test('a client that does not read is not waited for', async () => {
    const heartbeat = heartbeats.begin()
    expect(await heartbeat.next(Promise.resolve('bytes'))).toBe('bytes')
    // Between two reads nothing is due, however long that takes.
    await lookAt(10_000)
    heartbeat.sent()
    const waiting = watched(heartbeat.next(never))
    await lookAt(10_149)
    expect(waiting.result).toBe('nothing yet')
  })

  test('a stream that has ended is not looked at any more', async () => {
    const heartbeat = heartbeats.begin()
    const waiting = watched(heartbeat.next(never))
    heartbeat.stop()
    await lookAt(10_000)
    expect(waiting.result).toBe('nothing yet')
  })
})
