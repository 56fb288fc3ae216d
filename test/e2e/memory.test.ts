import { expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { someOf } from '../support/rounds.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, callBySocket } from './caller.ts'
import { allDialects, costNano, type Dialect, dialects } from './dialects.ts'
import { shortly, startFlood } from './flood.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// S8: what a slow client does not take, the gateway does not take from the upstream either.

const mebibyte = 1024 * 1024
/** Of each stream; the sockets on the way can hold a good part of a shorter one. */
const megabytes = 200
const tokens = { input: 10, output: 20 }
const inMegabytes = (bytes: number) => (bytes / mebibyte).toFixed(1)

/** The largest of many readings, taken from now until `stop`. */
function watchPeak(read: () => number) {
  let peak = read()
  const timer = setInterval(() => {
    peak = Math.max(peak, read())
  }, 20)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

/** Waits until a figure has not changed for `quietMs`; gives it. */
async function standstill(read: () => number, quietMs = 500): Promise<number> {
  let last = read()
  let since = performance.now()
  return until('a standstill', () => {
    const now = read()
    if (now !== last) since = performance.now()
    last = now
    return performance.now() - since >= quietMs && last
  })
}

/** Ordinary work first: a gateway that has just started grows with its first requests, too. */
async function warmUp(gateway: RunningBinary, dialect: Dialect): Promise<void> {
  for (let at = 0; at < 600; at++) {
    const answer = await ask(gateway.url, dialect, true, { question: shortly })
    expect(dialect.isWhole(await answer.text())).toBeTrue()
  }
}

test.each(someOf(allDialects, 1).map((dialect) => [dialect.name, dialect] as const))(
  'S8: a client of %s that pauses holds its upstream, and memory stays flat',
  async (name, dialect) => {
    await using flood = await startFlood(dialect, tokens, megabytes * mebibyte)
    await using gateway = await startBinary({
      // Money enough for 200 MB of words: where it is short, a tokenizer is loaded to count them.
      config: (listen) => tollgateYaml({ listen, upstream: flood.url, balance: 10_000 }),
    })
    const cold = gateway.residentBytes()
    await warmUp(gateway, dialect)
    const before = gateway.residentBytes()
    const peak = watchPeak(gateway.residentBytes)
    using client = await callBySocket(gateway.port, dialect, true)
    await client.pauseAtFirst()
    await standstill(flood.written)
    const ahead = flood.written() - client.received()
    // What was read before the pause may still lie about as garbage; what is held is there to stay.
    const paused = await until('memory to be flat while the client pauses', () => {
      const resident = gateway.residentBytes()
      return resident - cold < 40 * mebibyte && resident
    })
    client.resume()
    await client.closed
    const highest = peak.stop()
    console.log(
      `${name}: upstream held ${inMegabytes(ahead)} MB ahead (of ${megabytes} MB); memory: ` +
        `${inMegabytes(cold)} MB at the start, ${inMegabytes(before)} at work, ` +
        `${inMegabytes(paused)} paused, ${inMegabytes(highest)} at most`,
    )
    expect(ahead).toBeLessThan(80 * mebibyte)
    // At full speed garbage comes on top; a bare proxy on this runtime has 30 MB of it.
    expect(highest - before).toBeLessThan(70 * mebibyte)
    expect(client.received()).toBeGreaterThan(megabytes * mebibyte)
    await using ledger = openLedger(gateway.cwd)
    expect((await ledger.records()).at(-1)).toMatchObject({
      ending: 'complete',
      charged_nano: -costNano(tokens),
    })
  },
)

test('S8: a slow client sets the pace of its upstream', async () => {
  const dialect = dialects.messages
  await using flood = await startFlood(dialect, tokens, 2000 * mebibyte)
  await using gateway = await startBinary({
    config: (listen) => tollgateYaml({ listen, upstream: flood.url, balance: 10_000 }),
  })
  await warmUp(gateway, dialect)
  const before = gateway.residentBytes()
  const peak = watchPeak(gateway.residentBytes)
  using client = await callBySocket(gateway.port, dialect, true)
  await until('the first bytes', () => client.received() > 0)
  const started = performance.now()
  let ahead = 0
  while (performance.now() - started < 3000) {
    const allowed = ((performance.now() - started) / 1000) * 10 * mebibyte
    if (client.received() > allowed) client.pause()
    else client.resume()
    ahead = Math.max(ahead, flood.written() - client.received())
    await Bun.sleep(2)
  }
  const growth = peak.stop() - before
  console.log(
    `slow: ${inMegabytes(client.received())} MB read in 3 s, upstream at most ` +
      `${inMegabytes(ahead)} MB ahead, memory grown by at most ${inMegabytes(growth)} MB`,
  )
  expect(client.received()).toBeGreaterThan(10 * mebibyte)
  expect(ahead).toBeLessThan(80 * mebibyte)
  expect(growth).toBeLessThan(40 * mebibyte)
})
