import { createBorrower } from '../../leases/borrower.ts'
import { createLender, type Loan } from '../../leases/lender.ts'
import type { Lease, Owed } from '../../leases/messages.ts'
import { eachPaid, type Purse, purseOfAccount, purseOfBudget } from '../../leases/purse.ts'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type {
  Batch,
  Committed,
  LeaseSource,
  RecordStore,
  Settlement,
} from '../../store/ports/records.ts'
import { UnansweredError } from '../../store/ports/store-error.ts'

interface LendingParts {
  readonly commit: RecordStore['commit']
  /** Resolves when the store has forgotten the leases of an earlier keeper, and living workers have said what they owe. */
  readonly started?: Promise<void> | undefined
  readonly source: LeaseSource
  /** Asks the workers to return what they do not use of these. */
  readonly recall: (purses: readonly Purse[]) => void
  /** All leases have ended: the workers must connect anew, with what they owe. */
  readonly onLost: () => void
  readonly tick: Clock
  readonly repeat?: Repeat | undefined
}

export type Lending = ReturnType<typeof createLending>

const restMs = 1_000

/** Lends to workers what the keeper borrows from its store. All commits of the keeper go through `commit`. */
export function createLending({ source, tick, ...parts }: LendingParts) {
  const capital = createBorrower()
  const lender = createLender(capital)

  /** Settlements that may be stored, or not: their workers send them again. */
  const unsure = new Map<string, Settlement>()

  function known({ request: { requestId } }: Settlement): void {
    const one = unsure.get(requestId)
    if (one === undefined) return
    unsure.delete(requestId)
    eachPaid(one, (purse, nano) => capital.pay(purse, -nano))
  }

  function unanswered(one: Settlement): void {
    if (unsure.has(one.request.requestId)) return
    unsure.set(one.request.requestId, one)
    eachPaid(one, capital.pay)
  }

  /** The store's answer: what is paid is no more in use. */
  async function commit(batch: Batch): Promise<Committed> {
    await parts.started
    const leases = capital.wishes(tick())
    try {
      const committed = await parts.commit({ ...batch, leases })
      for (const one of batch.settle ?? []) {
        eachPaid(one, capital.release)
        known(one)
      }
      capital.answered(committed.leases ?? [], tick())
      return committed
    } catch (error) {
      capital.failed(leases)
      if (error instanceof UnansweredError) for (const one of batch.settle ?? []) unanswered(one)
      throw error
    }
  }

  let commitWishes: () => void = () => {}

  source.onRecall((purses) => {
    capital.recalled(purses, tick())
    parts.recall(purses)
    commitWishes()
  })
  source.onLost(() => {
    lender.lost()
    for (const one of [...unsure.values()]) known(one)
    parts.onLost()
  })
  const stop = (parts.repeat ?? repeatByTimer)(() => {
    capital.rest(tick())
    commitWishes()
  }, restMs)

  return {
    commit,
    /** How wishes are committed that no batch waits for. */
    setCommitWishes(commitBatch: RecordStore['commit']): void {
      commitWishes = () => {
        if (capital.hasWishes()) commitBatch({}).catch(() => {}) // they are wished again
      }
    },
    /** A worker connects, and says what it owes of the leases of a former connection. */
    joined: ({ leases, no }: Owed): WorkerLoan => createWorkerLoan(lender.joined(leases, no), tick),
    /** How much of the term of the keeper's own leases has passed; null: they have none. */
    ageMs: (): number | null => source.ageMs?.() ?? null,
    /** At the end: all that is unused goes back with the next commit. */
    returnAll: (): void => capital.returnAll(tick()),
    stop,
  }
}

/** What one worker has borrowed, on one connection. */
export interface WorkerLoan {
  /** A batch arrives: gives what of it goes to the store. Undefined: it is dropped, for the loan is over. */
  arrived(batch: Batch): Batch | undefined
  /** It is stored, as `arrived` gave it: gives the worker's leases. */
  committed(batch: Batch): readonly Lease[]
  /** It could not be stored, and the worker is told so. False: the worker is gone, the keeper stores it. */
  failed(batch: Batch): boolean
  /** The keeper stores this for the worker: gives it with what the lease covers. */
  taken(settlement: Settlement): Settlement
  /** The worker is dead, or speaks on a new connection. */
  end(): void
}

function createWorkerLoan(loan: Loan, tick: Clock): WorkerLoan {
  const taken = (settlement: Settlement): Settlement => {
    const { leasedNano, budgetLeasedNano, request } = settlement
    if (leasedNano === undefined) return settlement
    const covered = loan.settled(purseOfAccount(request.accountId), leasedNano)
    if (budgetLeasedNano === undefined) return { ...settlement, leasedNano: covered }
    const ofBudget = loan.settled(purseOfBudget(request.tokenId), budgetLeasedNano)
    return { ...settlement, leasedNano: covered, budgetLeasedNano: ofBudget }
  }
  return {
    arrived(batch) {
      const { leases = [], settle } = batch
      if (!loan.arrived(leases, tick())) return undefined
      return settle ? { ...batch, settle: settle.map(taken) } : batch
    },
    committed({ settle = [], leases = [] }) {
      const purses = new Set<Purse>()
      for (const one of settle) eachPaid(one, (purse) => purses.add(purse))
      return loan.granted(leases, purses, tick())
    },
    failed({ settle = [] }) {
      let isThere = true
      const give = (purse: Purse, nano: number) => {
        isThere = loan.failed(purse, nano)
      }
      for (const one of settle) eachPaid(one, give)
      return isThere
    },
    taken,
    end: loan.end,
  }
}
