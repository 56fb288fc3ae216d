import { expect, test } from 'bun:test'
import { hunt } from '../adversary/hunt.ts'
import type { StoreKind } from '../adversary/script.ts'
import { describeCluster } from '../e2e/cluster/describe-cluster.ts'
import { rounds } from '../support/rounds.ts'

// Customers who mean harm, made by chance: always the same ones first, then others each time. `bun run
// adversary --seed S` plays those of a seed again, which is printed with what went wrong.

async function findNothing(store: StoreKind, seed: string, runs: number): Promise<void> {
  const said: string[] = []
  const options = { store, seed, runs, minutes: Number.POSITIVE_INFINITY }
  const isWell = await hunt({
    ...{ ...options, keepsGoing: false, shrinks: true },
    say: (line) => said.push(line),
  })
  console.log(said.join('\n'))
  expect(isWell).toBe(true)
}

const fresh = () => String(1 + (Date.now() % 1_000_000))

test('A1–A6: nobody gets anything for nothing from one node', async () => {
  await findNothing('sqlite', 'always', rounds(12, 150))
  await findNothing('sqlite', fresh(), rounds(4, 2_000))
}, 1_800_000)

test('A1–A6: nobody gets anything for nothing from four workers', async () => {
  await findNothing('workers', 'always', rounds(6, 100))
  await findNothing('workers', fresh(), rounds(2, 1_000))
}, 1_800_000)

describeCluster('two nodes on one database', () => {
  test('A1–A6: nobody gets anything for nothing from either', async () => {
    await findNothing('postgres', 'always', rounds(4, 50))
    await findNothing('postgres', fresh(), rounds(2, 1_000))
  }, 1_800_000)
})
