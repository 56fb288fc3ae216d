import { describe, expect, test } from 'bun:test'
import { protocolNames } from '../../src/protocols/protocol.ts'
import { allGrowths, type Taken, take } from './grown/work.ts'

// Bodies that grow in one place, each of them where a protocol's reader looks: work stays in
// proportion. `bun test/adversary/grown/main.ts` takes them all, and prints the worst.

/** Of so many growths, one is taken; which ones is another matter with each protocol. */
const oneOf = 48
const smallBytes = 20_000
const bytes = 8 * smallBytes

/** Far above the worst that is known, for machines that do other work; main.ts tells the figures. */
const mostTimesParse = 100
const mostTimesSmall = 8 * 6

/** Few runs tell that something was quick; only what was slow is taken again. */
async function isTooMuch(
  retake: (bytes: number, runs: number) => Promise<Taken>,
): Promise<boolean> {
  for (const runs of [1, 4]) {
    const { ms, parseMs } = await retake(bytes, runs)
    if (ms < mostTimesParse * parseMs && ms < 100) return false
  }
  const large = await retake(bytes, 6)
  const small = await retake(smallBytes, 6)
  return large.ms > mostTimesParse * large.parseMs || large.ms > mostTimesSmall * small.ms
}

describe.each(protocolNames)('A7: a grown request of a client of %s', (client) => {
  const growths = allGrowths(client).filter((_, at) => at % oneOf === client.length % oneOf)

  test('is read, and translated to each protocol, in proportion', async () => {
    const found: string[] = []
    for (const growth of growths) {
      const first = await take(client, growth, bytes, 1)
      for (const [index, { pair, ms, parseMs, written }] of first.entries()) {
        const name = `${pair}: ${growth.name}`
        if (written > 12) found.push(`${name}: ${written.toFixed(1)} × the body`)
        if (ms < mostTimesParse * parseMs && ms < 100) continue
        const retake = async (size: number, runs: number) =>
          (await take(client, growth, size, runs))[index] as Taken
        if (await isTooMuch(retake)) found.push(`${name}: ${ms.toFixed(0)} ms`)
      }
    }
    expect(growths.length).toBeGreaterThan(20)
    expect(found).toEqual([])
  })
})
