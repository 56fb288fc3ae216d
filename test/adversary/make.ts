import { createDice, type Dice } from '../fuzz/dice.ts'
import { type KindName, kinds } from './kinds.ts'
import type { Customer, Script, Step } from './script.ts'

/** The script of a seed: some customers, and what they do. */
export function makeScript(seed: string, names: readonly KindName[]): Script {
  const dice = createDice('adversary', seed)
  const customers = Array.from({ length: 1 + dice.below(3) }, () => makeCustomer(dice))
  const chosen = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(names))
  let ids = 0
  const making = { dice, customers: customers.length, id: () => ++ids }
  const steps = chosen.flatMap((name): readonly Step[] => {
    const made: readonly Step[] = kinds[name](making)
    return made.length > 1 || !dice.once(5) ? made : [{ do: 'together', steps: [...made, ...made] }]
  })
  return { seed, kinds: [...new Set(chosen)], customers, steps }
}

function makeCustomer(dice: Dice): Customer {
  const cents = dice.pick([0.02, 0.1, 1, 10, 1_000])
  return {
    policy: dice.pick(['drain', 'observed'] as const),
    multiplier: dice.pick([1_000, 1_000, 500, 1_700]),
    balance: Math.round(cents * (0.5 + dice.below(100) / 100) * 1e7),
    ...(dice.once(10) && { concurrency: 1 + dice.below(4) }),
    ...(dice.once(15) && { budget: 0.01 }),
  }
}
