import type { Fault } from './judge.ts'
import { type KindName, kindNames } from './kinds.ts'
import { makeScript } from './make.ts'
import { runAlone, runScripts } from './run.ts'
import type { Script, StoreKind } from './script.ts'
import { shrinkScript } from './shrink.ts'

export interface HuntOptions {
  readonly store: StoreKind
  readonly runs: number
  readonly minutes: number
  readonly seed: string
  /** Kinds that are tried; undefined: all. */
  readonly kinds?: readonly KindName[] | undefined
  /** Counts what is found, and does not make it smaller. */
  readonly keepsGoing: boolean
  /** Makes what it finds smaller. */
  readonly shrinks: boolean
  readonly say: (line: string) => void
}

/** Runs that one gateway serves. */
const batch = 50

/** A script with what it broke. */
interface Found {
  readonly script: Script
  readonly run: number
  readonly faults: readonly Fault[]
}

/** Runs scripts by chance until something is found; true when nothing was. */
export async function hunt(options: HuntOptions): Promise<boolean> {
  const { store, runs, minutes, seed, keepsGoing, shrinks, say } = options
  const latest = performance.now() + minutes * 60_000
  const found: Found[] = []
  let [done, asked, bills] = [0, 0, 0]
  const kinds = options.kinds ?? kindNames
  say(`Seed ${seed}, on ${store}`)
  while (done < runs && performance.now() < latest) {
    const count = Math.min(batch, runs - done)
    const scripts = Array.from({ length: count }, (_, at) =>
      makeScript(`${seed}:${done + at}`, kinds),
    )
    const outcome = await runScripts(store, scripts)
    asked += outcome.asked
    bills += outcome.bills
    const here = scripts
      .map((script, at) => ({ script, run: done + at + 1, faults: outcome.faults[at] ?? [] }))
      .filter(({ faults }) => faults.length > 0)
    if (outcome.shared.length > 0) {
      say(`Runs ${done + 1} to ${done + count}: ${outcome.shared.map(describe).join('\n')}`)
      here.push(...(await findGuilty(store, scripts, done)))
    }
    found.push(...here)
    done += count
    if (done % 100 < batch)
      say(`${done} runs, ${asked} requests, ${bills} bills, ${found.length} found`)
    if (found.length > 0 && !keepsGoing) break
  }
  say(`${done} runs with seed ${seed}: ${asked} requests, ${bills} bills of the vendor`)
  if (keepsGoing) summary(found, say)
  else if (found[0]) await show(store, found[0], shrinks, say)
  if (found.length === 0) say('Nothing wrong.')
  return found.length === 0
}

/** Plays each alone, to see whose fault it was that was found of all. */
async function findGuilty(store: StoreKind, scripts: readonly Script[], before: number) {
  const guilty: Found[] = []
  for (const [at, script] of scripts.entries()) {
    const faults = await runAlone(store, script)
    if (faults.length > 0) guilty.push({ script, run: before + at + 1, faults })
  }
  return guilty
}

const describe = ({ promise, text }: Fault) => `Broken: ${promise}: ${text}`.slice(0, 1_500)

async function show(
  store: StoreKind,
  { script, run, faults }: Found,
  shrinks: boolean,
  say: HuntOptions['say'],
) {
  say(`Run ${run}: ${JSON.stringify(script)}`)
  for (const fault of faults) say(describe(fault))
  const [first] = faults
  if (first === undefined || !shrinks) return
  say('Making it smaller …')
  const smallest = await shrinkScript(store, script, first)
  say(
    `The smallest script that shows it (--replay FILE plays it again):\n${JSON.stringify(smallest)}`,
  )
  for (const fault of await runAlone(store, smallest)) say(describe(fault))
}

/** How many runs of each kind found something, and the first of them. */
function summary(found: readonly Found[], say: HuntOptions['say']): void {
  const sorts = new Map<string, Found[]>()
  for (const one of found) {
    for (const promise of new Set(one.faults.map((fault) => fault.promise))) {
      const name = `${one.script.kinds.join('+')}: ${promise}`
      sorts.set(name, [...(sorts.get(name) ?? []), one])
    }
  }
  for (const [name, all] of [...sorts].toSorted(([, a], [, b]) => b.length - a.length)) {
    const [first] = all
    say(`${all.length} × ${name}; first in run ${first?.run}`)
    if (first?.faults[0]) say(`    ${describe(first.faults[0]).slice(0, 600)}`)
  }
}

export const replay = (store: StoreKind, script: Script): Promise<readonly Fault[]> =>
  runAlone(store, script)
