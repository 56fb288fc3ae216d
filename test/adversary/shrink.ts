import { shrink } from '../fuzz/shrink.ts'
import type { Fault } from './judge.ts'
import { models } from './prices.ts'
import { runAlone } from './run.ts'
import {
  type Ask,
  type Customer,
  endpoints,
  type Script,
  type Step,
  type StoreKind,
} from './script.ts'

/** So long a script may be made smaller. */
const shrinkMs = 60_000

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
  const { seed, kinds, ...shrinking } = script
  const smallest = await shrink(shrinking, (smaller) => breaks({ ...smaller, seed, kinds }))
  return { ...smallest, seed, kinds }
}

/** Whether what was left out has left a script. */
function isScript({ customers, steps }: Partial<Script>): boolean {
  if (!Array.isArray(customers) || !Array.isArray(steps)) return false
  if (customers.length === 0 || steps.length === 0) return false
  const isCustomer = ({ policy, multiplier, balance }: Partial<Customer>) =>
    policy !== undefined && multiplier !== undefined && balance !== undefined
  return customers.every(isCustomer) && steps.every(isStep)
}

function isStep(step: Partial<Step>): boolean {
  if (step.do === 'together') return Array.isArray(step.steps) && step.steps.every(isStep)
  if (step.do === 'pause') return step.ms !== undefined
  if (step.do === 'fetch' || step.do === 'delete')
    return step.by !== undefined && step.of !== undefined
  if (step.do !== 'ask') return false
  if (step.by === undefined || step.id === undefined || step.ask === undefined) return false
  const { endpoint, model, words, plan, leave }: Partial<Ask> = step.ask
  return (
    endpoints.some((name) => name === endpoint) &&
    model !== undefined &&
    model in models &&
    words !== undefined &&
    plan?.words !== undefined &&
    (leave === undefined || leave.beat !== undefined)
  )
}
