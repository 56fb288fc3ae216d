import { LRUCache } from 'lru-cache'
import type { Candidate } from '../../catalog/catalog.ts'
import { purseOfAccount, purseOfBudget, shortPurse } from '../../leases/purse.ts'
import { addTo } from '../../lib/add-to.ts'
import { entryLimit } from '../../lib/cache-options.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type {
  Batch,
  Committed,
  MoneyLimit,
  Overrun,
  RequestRow,
  Reservation,
  Spent,
} from '../../store/ports/records.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { CommitListener } from './commit-item.ts'
import type { Committer } from './committer.ts'
import type { Leases, Payer } from './leases.ts'

/** What a caller can still pay, and its nearest limit. */
interface Room {
  readonly nano: number
  readonly limit: MoneyLimit
}

interface Held {
  readonly accountId: number
  readonly tokenId: number
  readonly requestId: string
  amountNano: number
  readonly isOpen?: boolean
}

/** The reservations of running requests. Memory answers first; the store, or a lease, decides. */
export type Reservations = ReturnType<typeof createReservations>

export function createReservations(
  committer: () => Committer,
  today: () => string,
  { overruns = createOverruns(() => performance.now()), leases }: ReservationParts = {},
) {
  const opened = new Map<number, number>()
  const held = new Map<string, Held>()
  const byAccount = new Map<number, number>()
  const byToken = new Map<number, number>()

  function add({ accountId, tokenId }: Pick<Held, 'accountId' | 'tokenId'>, nano: number): void {
    addTo(byAccount, accountId, nano)
    // Of every token: a budget may be set while its requests run.
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
    leases?.uncover(requestId)
  }

  function removeDenied({ reserve = [], grow = [] }: Batch, denied: Committed['denied']): void {
    for (const { requestId } of reserve) {
      // What a lease covers needs no row.
      if (denied.has(requestId) && leases?.coveredNano(requestId) === undefined) drop(requestId)
    }
    for (const one of [...reserve, ...grow]) {
      const denial = denied.get(one.requestId)
      if (denial && denial !== 'busy') leases?.recall([shortPurse(one, denial)])
    }
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
    room: (caller: Caller): Room =>
      roomWithout(caller, byAccount.get(caller.account.id) ?? 0, byToken.get(caller.token.id) ?? 0),
    /** What it could pay if nothing were reserved for others. */
    all: (caller: Caller): Room => roomWithout(caller, 0, 0),
    heldBy: (accountId: number): number => byAccount.get(accountId) ?? 0,
    hasOpen: (accountId: number): boolean => opened.has(accountId),
    /** What a request may cost beyond its bound, by other recent requests. */
    likelyOverrun: overruns.of,
    overrunOf: (request: RequestRow, boundNano: number | undefined): Overrun | undefined =>
      boundNano ? overruns.overrunOf(request, boundNano) : undefined,
    noteOverrun: overruns.note,
    /** Reserves at once; the listener gets the result of the commit, and calls `drop` when there was none. */
    reserve(reservation: Reservation, listener: CommitListener): void {
      const { requestId, amountNano, isOpen = false, accountId, tokenId } = reservation
      adopt({ requestId, amountNano, isOpen, accountId, tokenId })
      // It takes all that is left.
      if (isOpen) leases?.recall([purseOfAccount(accountId), purseOfBudget(tokenId)])
      committer().reserve(reservation, listener)
    },
    /** Whether leases cover the request: then nothing is asked. The caller reserves by `reserveCovered`. */
    isCovered({ requestId, startedAt, payer }: Coverable, nano: number): boolean {
      if (leases === undefined) return false
      // What a budget has left today is nothing to a request of yesterday.
      if (payer.budgetOf !== undefined && utcDay(startedAt) !== today()) return false
      return leases.cover(requestId, payer, nano)
    },
    /** Reserves what is covered: the store gets a row without an amount. */
    reserveCovered(reservation: Reservation, amountNano: number): void {
      const { requestId, accountId, tokenId } = reservation
      adopt({ requestId, amountNano, accountId, tokenId })
      committer().reserveCovered(reservation)
    },
    /** Moves what a lease covers into the store: an answer that outlives this process needs it there. */
    async uncover(requestId: string): Promise<void> {
      const byNano = leases?.coveredNano(requestId)
      const one = held.get(requestId)
      if (!byNano || one === undefined) return
      const { accountId, tokenId } = one
      committer().commitNow(requestId)
      const denial = await committer().grow({ requestId, accountId, tokenId, byNano })
      if (denial === undefined) leases?.uncover(requestId)
    },
    /** Removes a request's reservation. Idempotent. */
    drop,
    /** Grows a reservation; false when the account does not cover it. */
    async grow(requestId: string, byNano: number): Promise<boolean> {
      const one = held.get(requestId)
      if (one === undefined) return false
      const { accountId, tokenId, amountNano } = one
      one.amountNano += byNano
      add(one, byNano)
      if (leases?.coverMore(requestId, byNano)) return true
      const leasedNano = leases?.coveredNano(requestId)
      const fromNano = amountNano - (leasedNano ?? 0)
      if (leasedNano !== undefined) committer().commitNow(requestId)
      const covered = await committer()
        .grow({ requestId, accountId, tokenId, byNano, fromNano })
        .then((denial) => denial === undefined)
        .catch(() => false) // not stored, which is logged: the same as no money
      if (!covered && held.has(requestId)) {
        one.amountNano -= byNano
        add(one, -byNano)
      }
      return covered
    },
    /** Takes over stored reservations from before this process. */
    adopt,
    heldFor: (requestId: string): number => held.get(requestId)?.amountNano ?? 0,
    holds: (requestId: string): boolean => held.has(requestId),
    /** Removes the reservations that a committed batch has ended. */
    committed(batch: Batch, { denied, leases: answers }: Committed): void {
      for (const { request, begun, overrun } of batch.settle ?? []) {
        const one = held.get(request.requestId)
        if (overrun) overruns.note(overrun)
        // Where other nodes serve, one of them may charge it: only the store knows.
        if (begun && one && !committer().isShared) adopt({ ...one, requestId: begun.requestId })
        drop(request.requestId)
      }
      for (const requestId of batch.release ?? []) drop(requestId)
      if (denied.size > 0) removeDenied(batch, denied)
      if (answers) leases?.answered(answers)
    },
  }
}

interface Coverable {
  readonly requestId: string
  readonly startedAt: number
  readonly payer: Payer
}

interface ReservationParts {
  readonly overruns?: Overruns
  /** Undefined: the store decides on each reservation. */
  readonly leases?: Leases | undefined
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

/** The spending as of `today`: a new day, or month, begins at 0. */
export function spentOn(spent: Spent, today: string): Spent {
  if (spent.day === today) return spent
  const isSameMonth = spent.day.slice(0, 7) === today.slice(0, 7)
  return { ...spent, day: today, dayNano: 0, monthNano: isSameMonth ? spent.monthNano : 0 }
}

type Charged = Pick<RequestRow, 'accountId' | 'channelId' | 'upstreamModel' | 'amountNano'>

interface Seen extends Pick<Overrun, 'factor' | 'byNano'> {
  readonly atTick: number
}

const maxEntries = 10_000
const maxFactor = 1_000
/** The half-life of an overrun factor's part above 1, in milliseconds. */
const halfLifeMs = 3_600_000
/** A smaller overrun, or change of one, is ignored. */
const leastOverrun = 0.01

type Overruns = ReturnType<typeof createOverruns>

/** What recent requests cost beyond their bound: vendors bill work that no body announces. */
export function createOverruns(tick: Clock) {
  const seen = new LRUCache<string, Seen>(entryLimit(maxEntries))

  function knownOf(name: string): Omit<Seen, 'atTick'> | undefined {
    const known = seen.get(name)
    if (known === undefined) return undefined
    const rest = 0.5 ** ((tick() - known.atTick) / halfLifeMs)
    const above = (known.factor - 1) * rest
    if (above >= leastOverrun) return { factor: 1 + above, byNano: known.byNano * rest }
    seen.delete(name)
    return undefined
  }

  return {
    /** The likely overrun in nano-USD, by other recent requests of its account or model. */
    of(accountId: number, candidates: readonly Candidate[], boundNano: number): number {
      if (seen.size === 0) return 0
      const names = candidates.map(({ channel, upstreamModel }) =>
        ofModel(channel.id, upstreamModel),
      )
      const each = [ofAccount(accountId), ...names].map((name) => {
        const known = knownOf(name)
        return known ? Math.min(boundNano * (known.factor - 1), known.byNano) : 0
      })
      return Math.ceil(Math.max(...each))
    },
    /** An overrun that adds to what is known; undefined: none. */
    overrunOf(
      { accountId, channelId, upstreamModel, amountNano }: Charged,
      boundNano: number,
    ): Overrun | undefined {
      const factor = Math.min(maxFactor, amountNano / boundNano)
      if (!(factor >= 1 + leastOverrun)) return undefined
      const byNano = amountNano - boundNano
      const overrun = { accountId, channelId, upstreamModel, factor, byNano }
      return namesOf(overrun).some((name) => isMore(overrun, knownOf(name))) ? overrun : undefined
    },
    note(overrun: Overrun): void {
      for (const name of namesOf(overrun)) {
        const known = knownOf(name) ?? noOverrun
        seen.set(name, {
          factor: Math.max(Math.min(maxFactor, overrun.factor), known.factor),
          byNano: Math.max(overrun.byNano, known.byNano),
          atTick: tick(),
        })
      }
    },
  }
}

const noOverrun = { factor: 1, byNano: 0 }

function isMore({ factor, byNano }: Overrun, known = noOverrun): boolean {
  const margin = 1 + leastOverrun
  return factor - 1 > (known.factor - 1) * margin || byNano > known.byNano * margin
}

const namesOf = ({ accountId, channelId, upstreamModel }: Overrun) => [
  ofAccount(accountId),
  ofModel(channelId, upstreamModel),
]
const ofAccount = (accountId: number) => `account ${accountId}`
const ofModel = (channelId: number | null, upstreamModel: string | null) =>
  `channel ${channelId} ${upstreamModel}`
