import { createRandom } from '../support/random.ts'

/** A fault of the protocol; `schedule`: all that happened, where it was traced. */
export class Broken extends Error {}

/** Money that requests spend: of an account, or of the budget of one of its tokens. */
export interface Money {
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
  /** Its account and, if its token has one, its budget: it needs the money of both. */
  readonly moneys: readonly Money[]
  readonly machine: number
  readonly wasLeased: boolean
  state: State
  /** What it holds of each of the leases of its process, and of the store. */
  leasedNano: number
  reservedNano: number
  costNano: number
  exposedNano: number
}

/** All that parties share without knowing it: true time, chance, and the money of every request. */
export interface World {
  now: number
  /** By their ids. */
  readonly moneys: readonly Money[]
  /** Tokens: their account and, if they have one, their budget. */
  readonly tokens: readonly (readonly Money[])[]
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
  const moneys: Money[] = []
  const createMoney = (): Money => {
    const openingNano = [60, 100, 300, 10_000][below(4)] ?? 100
    const id = moneys.length
    const money = { id, openingNano, balanceNano: openingNano, exposedNano: 0, allowedNano: 0 }
    moneys.push(money)
    return money
  }
  const tokens: (readonly Money[])[] = []
  for (let count = below(3) === 0 ? 2 : 1; count > 0; count--) {
    const account = createMoney()
    tokens.push([account])
    if (below(2) === 0) tokens.push([account, createMoney()])
  }
  return {
    now: 1_000_000,
    ...{ moneys, tokens },
    requests: [],
    below,
    isOne: (outOf) => below(outOf) === 0,
    pick: (items) => items[below(items.length)] as never,
    say(what) {
      schedule?.push(`${this.now - 1_000_000} ${what()}`)
    },
    expose(request, nano) {
      for (const money of request.moneys) money.exposedNano += nano - request.exposedNano
      request.exposedNano = nano
    },
    check() {
      for (const { id, exposedNano, balanceNano, allowedNano } of moneys) {
        if (exposedNano <= balanceNano + allowedNano) continue
        for (const one of this.requests)
          if (one.exposedNano > 0)
            this.say(
              () =>
                `request ${one.id} ${one.state} of ${one.machine}: ${one.exposedNano}, leased ${one.leasedNano}, reserved ${one.reservedNano}`,
            )
        throw new Broken(
          `money ${id}: requests hold ${exposedNano} of ${balanceNano} (+ ${allowedNano})`,
        )
      }
    },
  }
}
