import { randomUUID } from 'node:crypto'
import { createTempDir } from '../support/temp-dir.ts'
import type { KeeperQuestions } from './link/keeper.ts'
import type { WorkerQuestions } from './link/worker.ts'
import { startPart } from './streams/part.ts'

/**
 * What a request costs the worker and the keeper by the link between them: µs of CPU a request, with a
 * real database file, beside the database alone and the worker without a link.
 *
 *   bun test/bench/link.ts [requests of a round] [rounds]
 */
const [requests = 60_000, rounds = 3] = process.argv.slice(2).map(Number)
using folder = createTempDir('tollgate-bench')
const address = `\0tollgate-bench-${randomUUID()}`
const secret = randomUUID()

await using keeper = startPart<KeeperQuestions>('../link/keeper.ts', 0)
await using first = startPart<WorkerQuestions>('../link/worker.ts', 1)
await using second = startPart<WorkerQuestions>('../link/worker.ts', 1)
await keeper.ask('open', { path: folder.join('gate.db'), address, secret })
await first.ask('open', { address, secret, index: 0 })
await second.ask('open', { address, secret, index: 1 })

const middle = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
/** The middle round, and the least one, which a busy machine disturbed least. */
const micros = (numbers: readonly number[]) =>
  `${middle(numbers).toFixed(1)} µs, least ${Math.min(...numbers).toFixed(1)}`

async function eachRound<Found>(work: () => Promise<Found>): Promise<readonly Found[]> {
  const found: Found[] = []
  await work() // warm
  for (let round = 0; round < rounds; round++) found.push(await work())
  return found
}

interface Case {
  readonly workers: readonly (typeof first)[]
  readonly atOnce: number
  /** What each request takes beside its settlement. */
  readonly pauseMs?: number
  readonly of?: number
}

async function settle(name: string, { workers, atOnce, pauseMs = 0, of = requests }: Case) {
  const each = Math.ceil(of / workers.length)
  const load = { requests: each, atOnce: Math.ceil(atOnce / workers.length), pauseMs }
  const found = await eachRound(async () => {
    await keeper.ask('begin', undefined as never)
    const used = await Promise.all(
      workers.map((worker) => worker.ask('settle', { ...load, isAlone: false })),
    )
    const kept = await keeper.ask('end', undefined as never)
    const alone = await first.ask('settle', { ...load, isAlone: true })
    const sum = used.reduce((all, { cpuMicros }) => all + cpuMicros, 0)
    return {
      worker: sum / of,
      alone: alone.cpuMicros / each,
      keeper: kept.cpuMicros / of,
      size: of / kept.commits,
      perSecond: (of / Math.max(...used.map(({ ms }) => ms))) * 1000,
    }
  })
  const size = Math.round(middle(found.map((one) => one.size)))
  const store = await eachRound(() => keeper.ask('storeAlone', { requests: requests / 2, size }))
  console.log(
    `${name}: ${middle(found.map((one) => one.perSecond)).toFixed(0)} requests/s, ${size} a commit; ` +
      `worker ${micros(found.map((one) => one.worker))} (without a link ${micros(found.map((one) => one.alone))}), ` +
      `keeper ${micros(found.map((one) => one.keeper))} (its database alone ` +
      `${micros(store.map(({ cpuMicros }) => cpuMicros / (requests / 2)))})`,
  )
}

const both = [first, second]
await settle('64 at once', { workers: [first], atOnce: 64 })
await settle('64 at once, of two workers', { workers: both, atOnce: 64 })
await settle('64 at once, of two workers, 10 ms each', {
  ...{ workers: both, atOnce: 64, pauseMs: 10, of: requests / 4 },
})
await settle('one at once, 1 ms each', {
  ...{ workers: [first], atOnce: 1, pauseMs: 1, of: requests / 40 },
})

const limits = await eachRound(async () => {
  await keeper.ask('begin', undefined as never)
  const { cpuMicros } = await first.ask('limit', { requests, atOnce: 64, pauseMs: 0 })
  const kept = await keeper.ask('end', undefined as never)
  return { worker: cpuMicros / requests, keeper: kept.cpuMicros / requests }
})
console.log(
  `limits of three subjects, 64 at once: worker ${micros(limits.map((one) => one.worker))}, ` +
    `keeper ${micros(limits.map((one) => one.keeper))}`,
)
