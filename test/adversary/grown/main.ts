import { protocolNames } from '../../../src/protocols/protocol.ts'
import { allGrowths, type Taken, take } from './work.ts'

/**
 * Every growth of every protocol's requests at 1, 2, 4 and 8 times a size, and the worst of each pair:
 *
 *   bun test/adversary/grown/main.ts [bytes] [one of so many]
 */
const [size = 50_000, oneOf = 1] = process.argv.slice(2).map(Number)
const worst = new Map<string, Taken>()
for (const client of protocolNames) {
  for (const [at, growth] of allGrowths(client).entries()) {
    if (at % oneOf !== 0) continue
    for (const taken of await take(client, growth, 8 * size, 2)) {
      const known = worst.get(taken.pair)
      if (known && known.ms / known.parseMs >= taken.ms / taken.parseMs) continue
      const [again] = (await take(client, growth, 8 * size, 6)).filter(
        ({ pair }) => pair === taken.pair,
      )
      if (again && again.ms / again.parseMs > (known ? known.ms / known.parseMs : 0))
        worst.set(taken.pair, again)
    }
  }
}
for (const { pair, growth, ...taken } of worst.values()) {
  const client = protocolNames.find((name) => pair.startsWith(`${name} `)) ?? 'chat'
  const grown = allGrowths(client).find(({ name }) => name === growth)
  const times: string[] = []
  for (const factor of [1, 2, 4, 8]) {
    const found =
      grown && (await take(client, grown, factor * size, 4)).find((one) => one.pair === pair)
    times.push((found?.ms ?? 0).toFixed(1))
  }
  const ratio = (taken.ms / taken.parseMs).toFixed(1)
  process.stdout.write(
    `${pair} | ${growth} | ${times.join(' / ')} ms | ${ratio} × JSON.parse | ${taken.written.toFixed(1)} × bytes\n`,
  )
}
