import type { Candidate } from '../../catalog/catalog.ts'
import type {
  Batch,
  Committed,
  Dearer,
  MoneyLimit,
  RequestRow,
  Reservation,
  Spent,
} from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { Asker, Committer } from './committer.ts'
import { createExcess } from './excess.ts'

/** What a caller can still pay, and which of its limits is the nearest one. */
export interface Room {
  readonly nano: number
  readonly limit: MoneyLimit
}

export interface Held {
  readonly accountId: number
  readonly tokenId: number
  readonly requestId: string
  amountNano: number
  /** It can come to more than is set aside. */
  readonly isOpen?: boolean
}

/**
 * All that is reserved for requests under way. Room is told from memory; the store decides again.
 */
export interface Reservations {
  room(caller: Caller): Room
  /** What it could pay if nothing were reserved for others. */
  all(caller: Caller): Room
  /** What is reserved for all requests of an account, in nano-USD. */
  heldBy(accountId: number): number
  /** Whether one of an account's requests can cost more than is reserved for it. */
  hasOpen(accountId: number): boolean
  /** What a request may come to beyond what it is reckoned to, by what others have lately. */
  excess(accountId: number, candidates: readonly Candidate[], mostNano: number): number
  /** What the charge of a request tells, by what it was reckoned to come to at the most. */
  newsOf(request: RequestRow, reckonedNano: number | undefined): Dearer | undefined
  hear(news: Dearer): void
  /** Reserves at once; the asker hears of the commit, and calls `drop` when there was none. */
  reserve(caller: Caller, reservation: Reservation, asker: Asker): void
  /** Nothing is reserved for a request any more. Harmless when repeated. */
  drop(requestId: string): void
  /** Reserves more for one under way; false when the account does not cover it (any more). */
  grow(requestId: string, byNano: number): Promise<boolean>
  /** What is set aside for a request; 0 when nothing is. */
  heldFor(requestId: string): number
  holds(requestId: string): boolean
  /** Takes over what was reserved, in the store, before this process began. */
  adopt(held: Held): void
  /** Frees what a committed batch has ended, and notes what it tells. */
  committed(batch: Batch, committed: Committed): void
}

export function createReservations(
  committer: () => Committer,
  today: () => string,
  excess = createExcess(() => performance.now()),
): Reservations {
  const opened = new Map<number, number>()
  const held = new Map<string, Held>()
  const byAccount = new Map<number, number>()
  const byToken = new Map<number, number>()

  function add({ accountId, tokenId }: Pick<Held, 'accountId' | 'tokenId'>, nano: number): void {
    addTo(byAccount, accountId, nano)
    // Of every token: a budget may come while its requests are under way.
    addTo(byToken, tokenId, nano)
  }

  function adopt(one: Held): void {
    held.set(one.requestId, one)
    add(one, one.amountNano)
    if (one.isOpen) addTo(opened, one.accountId, 1)
  }

  function drop(requestId: string): void {
    const one = held.get(requestId)
    if (one === undefined) return
    held.delete(requestId)
    add(one, -one.amountNano)
    if (one.isOpen) addTo(opened, one.accountId, -1)
  }

  function roomWithout(caller: Caller, setNano: number, setOfTokenNano: number): Room {
    const { balanceNano, creditLimitNano } = caller.account
    const balance = balanceNano + creditLimitNano - setNano
    const budget = budgetLeft(caller, today()) - setOfTokenNano
    return budget < balance
      ? { nano: budget, limit: 'budget' }
      : { nano: balance, limit: 'balance' }
  }

  return {
    room: (caller) =>
      roomWithout(caller, byAccount.get(caller.account.id) ?? 0, byToken.get(caller.token.id) ?? 0),
    all: (caller) => roomWithout(caller, 0, 0),
    heldBy: (accountId) => byAccount.get(accountId) ?? 0,
    hasOpen: (accountId) => opened.has(accountId),
    excess: excess.of,
    newsOf: (request, reckonedNano) =>
      reckonedNano ? excess.newsOf(request, reckonedNano) : undefined,
    hear: excess.note,
    reserve({ account, token }, reservation, asker) {
      const { requestId, amountNano, isOpen = false } = reservation
      adopt({ requestId, amountNano, isOpen, accountId: account.id, tokenId: token.id })
      committer().reserve(reservation, asker)
    },
    drop,
    async grow(requestId, byNano) {
      const one = held.get(requestId)
      if (one === undefined) return false
      const { accountId, amountNano: fromNano } = one
      one.amountNano += byNano
      add(one, byNano)
      const covered = await committer()
        .grow({ requestId, accountId, byNano, fromNano })
        .then((denial) => denial === undefined)
        .catch(() => false) // not stored: the same as no money, and told by its log line
      if (!covered && held.has(requestId)) {
        one.amountNano -= byNano
        add(one, -byNano)
      }
      return covered
    },
    adopt,
    heldFor: (requestId) => held.get(requestId)?.amountNano ?? 0,
    holds: (requestId) => held.has(requestId),
    committed(batch, { denied }) {
      for (const { request, begun, dearer } of batch.settle ?? []) {
        const one = held.get(request.requestId)
        if (dearer) excess.note(dearer)
        // Where others serve, too, one of them may charge it: there the store alone knows.
        if (begun && one && !committer().isShared) adopt({ ...one, requestId: begun.requestId })
        drop(request.requestId)
      }
      for (const requestId of batch.release ?? []) drop(requestId)
      for (const { requestId } of batch.reserve ?? []) if (denied.has(requestId)) drop(requestId)
    },
  }
}

function addTo(sums: Map<number, number>, key: number, nano: number): void {
  const sum = (sums.get(key) ?? 0) + nano
  if (sum === 0) sums.delete(key)
  else sums.set(key, sum)
}

/** What the token's budget leaves on a UTC day, in nano-USD; infinite without one. */
export function budgetLeft({ token, spending }: Caller, today: string): number {
  const { totalNano, dayNano, monthNano } = token.budget
  if (spending === undefined) return Number.POSITIVE_INFINITY
  const spent = spentOn(spending.spent, today)
  return Math.min(
    totalNano === null ? Number.POSITIVE_INFINITY : totalNano - spent.totalNano,
    dayNano === null ? Number.POSITIVE_INFINITY : dayNano - spent.dayNano,
    monthNano === null ? Number.POSITIVE_INFINITY : monthNano - spent.monthNano,
  )
}

/** What was spent as of `today`: a new day, or month, begins at nothing. */
export function spentOn(spent: Spent, today: string): Spent {
  if (spent.day === today) return spent
  const isSameMonth = spent.day.slice(0, 7) === today.slice(0, 7)
  return { ...spent, day: today, dayNano: 0, monthNano: isSameMonth ? spent.monthNano : 0 }
}
