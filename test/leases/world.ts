import { createRandom } from '../rehearse/random.ts'

/** A fault of the protocol; `schedule`: all that happened, where it was traced. */
export class Broken extends Error {}

export interface Account {
  readonly id: number
  openingNano: number
  balanceNano: number
  /** What requests could still cost, or do cost and is not stored: known to the simulation alone. */
  exposedNano: number
  /** By how much more than the balance that may be: overruns, and what was under way on a dead node. */
  allowedNano: number
}

export type State = 'asking' | 'running' | 'ended' | 'stored' | 'gone'

/** A model request, as the simulation sees it. */
export interface Request {
  readonly id: number
  readonly account: Account
  readonly machine: number
  readonly wasLeased: boolean
  state: State
  /** What it holds of the lease of its process, and of the store. */
  leasedNano: number
  reservedNano: number
  costNano: number
  exposedNano: number
}

/** All that parties share without knowing it: true time, chance, and the account of every request. */
export interface World {
  now: number
  readonly accounts: readonly Account[]
  readonly requests: Request[]
  below(n: number): number
  isOne(outOf: number): boolean
  pick<T>(items: readonly T[]): T
  say(what: () => string): void
  expose(request: Request, nano: number): void
  check(): void
}

export function createWorld(seed: number, schedule?: string[]): World {
  const random = createRandom(seed)
  const below = (n: number) => Math.floor(random() * n)
  const accounts = Array.from({ length: below(3) === 0 ? 2 : 1 }, (_, id): Account => {
    const openingNano = [60, 100, 300, 10_000][below(4)] ?? 100
    return { id, openingNano, balanceNano: openingNano, exposedNano: 0, allowedNano: 0 }
  })
  return {
    now: 1_000_000,
    accounts,
    requests: [],
    below,
    isOne: (outOf) => below(outOf) === 0,
    pick: (items) => items[below(items.length)] as never,
    say(what) {
      schedule?.push(`${this.now - 1_000_000} ${what()}`)
    },
    expose(request, nano) {
      request.account.exposedNano += nano - request.exposedNano
      request.exposedNano = nano
    },
    check() {
      for (const { id, exposedNano, balanceNano, allowedNano } of accounts) {
        if (exposedNano <= balanceNano + allowedNano) continue
        for (const one of this.requests)
          if (one.exposedNano > 0)
            this.say(
              () =>
                `request ${one.id} ${one.state} of ${one.machine}: ${one.exposedNano}, leased ${one.leasedNano}, reserved ${one.reservedNano}`,
            )
        throw new Broken(
          `account ${id}: requests hold ${exposedNano} of ${balanceNano} (+ ${allowedNano})`,
        )
      }
    },
  }
}
