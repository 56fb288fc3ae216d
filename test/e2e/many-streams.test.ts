import { expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { jsonAnswer, sseAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { callBySocket } from './caller.ts'
import { costNano, dialects, wholeStream } from './dialects.ts'
import { openLedger } from './ledger.ts'

// The upstream answers nobody before all have arrived: one that waits for another hangs for ever.

const tokens = { input: 10, output: 20 }
const dialect = dialects.chat

test.each([
  ['streams', 500, true],
  ['whole answers', 300, false],
] as const)(
  'no one of many %s waits for another (%d at once)',
  async (_what, count, stream) => {
    const all = Promise.withResolvers<void>()
    let arrived = 0
    await using upstream = startFakeUpstream(async () => {
      arrived++
      if (arrived === count) all.resolve()
      await all.promise
      return stream
        ? sseAnswer(wholeStream(dialect, tokens, ['Hello']))
        : jsonAnswer(dialect.body(tokens))
    })
    await using gateway = await startBinary({
      config: (listen) => tollgateYaml({ listen, upstream: upstream.url, balance: 1_000 }),
    })
    const started = performance.now()
    // Sockets, because the `fetch` of a test runs only 256 requests at once itself.
    const callers = await Promise.all(
      Array.from({ length: count }, () => callBySocket(gateway.port, dialect, stream)),
    )
    await all.promise
    const together = performance.now()
    await Promise.all(callers.map((caller) => caller.closed))
    const ended = performance.now()
    console.log(
      `${count} at once: all upstream after ${(together - started).toFixed(0)} ms, ` +
        `all answered ${(ended - together).toFixed(0)} ms later`,
    )
    const end = stream ? 'data: [DONE]\n\n' : '"total_tokens":30}}'
    const whole = callers.filter((caller) => caller.tail().includes(end))
    expect(whole.length).toBe(count)
    await using ledger = openLedger(gateway.cwd)
    expect((await ledger.charges()).length).toBe(count)
    expect(await ledger.balanceNano()).toBe(1_000_000_000_000 - count * costNano(tokens))
    expect(await ledger.sumNano()).toBe(await ledger.balanceNano())
  },
  120_000,
)
