import { LRUCache } from 'lru-cache'
import type { Candidate } from '../../catalog/catalog.ts'
import { growing } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'
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

/** What a caller can still pay, and which of its limits is the nearest one. */
interface Room {
  readonly nano: number
  readonly limit: MoneyLimit
}

interface Held {
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
export type Reservations = ReturnType<typeof createReservations>

export function createReservations(
  committer: () => Committer,
  today: () => string,
  excess = createExcess(() => performance.now()),
) {
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
    room: (caller: Caller): Room =>
      roomWithout(caller, byAccount.get(caller.account.id) ?? 0, byToken.get(caller.token.id) ?? 0),
    /** What it could pay if nothing were reserved for others. */
    all: (caller: Caller): Room => roomWithout(caller, 0, 0),
    /** What is reserved for all requests of an account, in nano-USD. */
    heldBy: (accountId: number): number => byAccount.get(accountId) ?? 0,
    /** Whether one of an account's requests can cost more than is reserved for it. */
    hasOpen: (accountId: number): boolean => opened.has(accountId),
    /** What a request may come to beyond what it is reckoned to, by what others have lately. */
    excess: excess.of,
    /** What the charge of a request tells, by what it was reckoned to come to at the most. */
    newsOf: (request: RequestRow, reckonedNano: number | undefined): Dearer | undefined =>
      reckonedNano ? excess.newsOf(request, reckonedNano) : undefined,
    hear: excess.note,
    /** Reserves at once; the asker hears of the commit, and calls `drop` when there was none. */
    reserve({ account, token }: Caller, reservation: Reservation, asker: Asker): void {
      const { requestId, amountNano, isOpen = false } = reservation
      adopt({ requestId, amountNano, isOpen, accountId: account.id, tokenId: token.id })
      committer().reserve(reservation, asker)
    },
    /** Nothing is reserved for a request any more. Harmless when repeated. */
    drop,
    /** Reserves more for one under way; false when the account does not cover it (any more). */
    async grow(requestId: string, byNano: number): Promise<boolean> {
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
    /** Takes over what was reserved, in the store, before this process began. */
    adopt,
    /** What is set aside for a request; 0 when nothing is. */
    heldFor: (requestId: string): number => held.get(requestId)?.amountNano ?? 0,
    holds: (requestId: string): boolean => held.has(requestId),
    /** Frees what a committed batch has ended, and notes what it tells. */
    committed(batch: Batch, { denied }: Committed): void {
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

type Charged = Pick<RequestRow, 'accountId' | 'channelId' | 'upstreamModel' | 'amountNano'>

interface Seen extends Pick<Dearer, 'factor' | 'byNano'> {
  readonly atTick: number
}

const maxEntries = 10_000
const maxFactor = 1_000
/** What is above 1 is halved in this time, in milliseconds. */
const halfLifeMs = 3_600_000
/** Less is not remembered, nor what is so little more than what is known. */
const leastExcess = 0.01

/** By how much dearer than reckoned answers have turned out lately. */
export function createExcess(tick: Clock) {
  const seen = new LRUCache<string, Seen>(growing(maxEntries))

  function knownOf(name: string): Omit<Seen, 'atTick'> | undefined {
    const known = seen.get(name)
    if (known === undefined) return undefined
    const rest = 0.5 ** ((tick() - known.atTick) / halfLifeMs)
    const above = (known.factor - 1) * rest
    if (above >= leastExcess) return { factor: 1 + above, byNano: known.byNano * rest }
    seen.delete(name)
    return undefined
  }

  return {
    /**
     * What a request may cost beyond its estimate, in nano-USD: as many times as others of its
     * account or model did, but never more than one of them did.
     */
    of(accountId: number, candidates: readonly Candidate[], mostNano: number): number {
      if (seen.size === 0) return 0
      const names = candidates.map(({ channel, upstreamModel }) =>
        ofModel(channel.id, upstreamModel),
      )
      const each = [ofAccount(accountId), ...names].map((name) => {
        const known = knownOf(name)
        return known ? Math.min(mostNano * (known.factor - 1), known.byNano) : 0
      })
      return Math.ceil(Math.max(...each))
    },
    /** What a charge tells that is not known yet; undefined: nothing. */
    newsOf(
      { accountId, channelId, upstreamModel, amountNano }: Charged,
      mostNano: number,
    ): Dearer | undefined {
      const factor = Math.min(maxFactor, amountNano / mostNano)
      if (!(factor >= 1 + leastExcess)) return undefined
      const byNano = amountNano - mostNano
      const news = { accountId, channelId, upstreamModel, factor, byNano }
      return namesOf(news).some((name) => isMore(news, knownOf(name))) ? news : undefined
    },
    note(news: Dearer): void {
      for (const name of namesOf(news)) {
        const known = knownOf(name) ?? asReckoned
        seen.set(name, {
          factor: Math.max(Math.min(maxFactor, news.factor), known.factor),
          byNano: Math.max(news.byNano, known.byNano),
          atTick: tick(),
        })
      }
    },
  }
}

const asReckoned = { factor: 1, byNano: 0 }

function isMore({ factor, byNano }: Dearer, known = asReckoned): boolean {
  const margin = 1 + leastExcess
  return factor - 1 > (known.factor - 1) * margin || byNano > known.byNano * margin
}

const namesOf = ({ accountId, channelId, upstreamModel }: Dearer) => [
  ofAccount(accountId),
  ofModel(channelId, upstreamModel),
]
const ofAccount = (accountId: number) => `account ${accountId}`
const ofModel = (channelId: number | null, upstreamModel: string | null) =>
  `channel ${channelId} ${upstreamModel}`
