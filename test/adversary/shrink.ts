import { shrink } from '../fuzz/shrink.ts'
import type { Fault } from './judge.ts'
import { runAlone } from './run.ts'
import type { Script } from './script.ts'
import type { StoreKind } from './world.ts'

/** So long a script may be made smaller. */
const shrinkMs = 90_000

/**
 * The smallest script that still breaks the same promise. What is left out of it must leave a script;
 * what a smaller value makes of it is tried on a gateway of its own.
 */
export async function shrinkScript(
  store: StoreKind,
  script: Script,
  { promise }: Fault,
): Promise<Script> {
  const end = performance.now() + shrinkMs
  const breaks = async (smaller: Script) => {
    if (performance.now() > end || !isScript(smaller)) return false
    try {
      return (await runAlone(store, smaller)).some((fault) => fault.promise === promise)
    } catch {
      return false // what was left out was needed
    }
  }
  // Chance decides some of it, too: what fails now and then only stays as it is.
  return shrink(script, breaks)
}

/** Whether what was left out has left a script: its parts are checked where they are used. */
function isScript({ seed, kinds, customers, steps }: Partial<Script>): boolean {
  const isList = Array.isArray(customers) && Array.isArray(steps) && Array.isArray(kinds)
  if (!isList || seed === undefined || steps.length === 0 || customers.length === 0) return false
  return customers.every(
    ({ policy, multiplier, balance }) =>
      policy && multiplier !== undefined && balance !== undefined,
  )
}
