import { expect, test } from 'bun:test'
import { mostHeldPerReader } from '../../src/gateway/outbound/round-trip.ts'
import { startBinary } from '../support/binary.ts'
import { someOf } from '../support/rounds.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask, callBySocket } from './caller.ts'
import { type Dialect, dialects } from './dialects.ts'
import { shortly, startFlood } from './flood.ts'
import { until } from './until.ts'

// Who asks for much and reads nothing takes a bounded place in memory, whatever the upstream would send.

const mebibyte = 1024 * 1024
const readers = 40
/** What each may take of the process's memory. */
const ofOne = mostHeldPerReader
/** Garbage of the work until they stand still. */
const besides = 28 * mebibyte
/** Of each answer. */
const answerBytes = 20 * mebibyte
const tokens = { input: 10, output: 20 }

const { chat, messages, responses, gemini } = dialects
const cases: readonly (readonly [string, Dialect, Dialect])[] = [
  ['chat', chat, chat],
  ['messages, translated from chat', messages, chat],
  ['responses', responses, responses],
  ['gemini', gemini, gemini],
]

test.each(someOf(cases, 2))(
  'clients of %s that do not read take a quarter of a megabyte each',
  async (name, asked, upstream) => {
    await using flood = await startFlood(upstream, tokens, answerBytes)
    await using gateway = await startBinary({
      config: (listen) =>
        tollgateYaml({ listen, upstream: flood.url, speaks: [upstream.name], balance: 10_000 }),
    })
    for (let at = 0; at < 300; at++) {
      const answer = await ask(gateway.url, asked, true, { question: shortly })
      expect(asked.isWhole(await answer.text())).toBeTrue()
    }
    const before = gateway.residentBytes()
    const clients = await Promise.all(
      Array.from({ length: readers }, () => callBySocket(gateway.port, asked, true)),
    )
    await Promise.all(clients.map((client) => client.pauseAtFirst()))
    let [written, since] = [0, performance.now()]
    await until('the upstreams to be held back', () => {
      const now = flood.written()
      if (now !== written) since = performance.now()
      written = now
      return performance.now() - since > 1_000
    })
    const bound = readers * ofOne + besides
    const grown = () => gateway.residentBytes() - before
    // Garbage is collected when somebody works.
    const isBounded = async () => {
      await (await ask(gateway.url, asked, true, { question: shortly })).text()
      return grown() < bound
    }
    await until('what they take to be bounded', isBounded)
    console.log(
      `${name}: ${readers} clients that do not read take ${(grown() / mebibyte).toFixed(1)} MB; ` +
        `${(written / readers / mebibyte).toFixed(1)} MB of each ${answerBytes / mebibyte} have left the upstream`,
    )
    // The sockets on the way hold some of it.
    expect(written).toBeLessThan(readers * answerBytes * 0.8)
    for (const client of clients) client.leave()
  },
)
