import { playScript } from './customers.ts'
import { type Fault, judge, type Run, readEvidence, untilRest } from './judge.ts'
import type { Script, StoreKind } from './script.ts'
import { startVendor } from './vendor/vendor.ts'
import { personOf, startWorld } from './world.ts'

/** Scripts that are played at the same time, each with accounts of its own. */
const atOnce = 4

/** What became of the scripts that one gateway served. */
export interface Outcome {
  /** The faults of each script, in their order. */
  readonly faults: readonly (readonly Fault[])[]
  /** What was found of all of them together: nobody knows yet whose fault it is. */
  readonly shared: readonly Fault[]
  readonly asked: number
  readonly bills: number
}

/** Plays scripts against one gateway, or two on one database, and judges them when all are at rest. */
export async function runScripts(store: StoreKind, scripts: readonly Script[]): Promise<Outcome> {
  await using vendor = startVendor()
  await using world = await startWorld(store, vendor, scripts)
  const runs: Run[] = []
  const waiting = scripts.map((script, at) => async () => {
    const people = script.customers.map((_, index) => personOf(at, index))
    const asked = await playScript({ vendor, urls: world.urls, people }, script)
    runs[at] = { script, people, asked }
  })
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next()
    }),
  )
  const open = await untilRest(world, vendor)
  const evidence = await readEvidence(world.rows)
  const faults: (readonly Fault[])[] = []
  for (const run of runs) {
    faults.push(await judge(run, evidence, vendor.bills, world.urls[0] ?? ''))
  }
  const verified = await world.verify()
  const shared: Fault[] = [
    ...open,
    ...(verified === undefined
      ? []
      : [{ promise: 'verify finds nothing', text: verified } as const]),
    ...world.errors().map((text): Fault => ({ promise: 'no fault is logged', text })),
  ]
  const asked = runs.reduce((sum, run) => sum + run.asked.length, 0)
  return { faults, shared, asked, bills: vendor.bills.length }
}

/** The faults of one script, played alone. */
export async function runAlone(store: StoreKind, script: Script): Promise<readonly Fault[]> {
  const { faults, shared } = await runScripts(store, [script])
  return [...faults.flat(), ...shared]
}
