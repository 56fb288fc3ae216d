import { firstLookMs } from '../ports/answers.ts'
import type { Batch, RequestRow, Reservation, Settlement } from '../ports/records.ts'
import { countedSums, createDaySums } from '../queries/day-sums.ts'
import { attemptFields, requestFields, reservationFields } from '../schema/columns.ts'
import { calls } from '../schema/postgres-rows.ts'
import { toJson } from './connections.ts'
import { leaseColumns, wishedOf } from './lease-columns.ts'
import { overrunPayloads } from './overruns.ts'
import { createRowText } from './row-text.ts'

/** Requests of a batch that are in the database: stored, or closed by a sweep. */
export interface Known {
  readonly stored: ReadonlySet<string>
  readonly swept: ReadonlySet<string>
}

const settledText = createRowText(Object.keys(requestFields))
const triedText = createRowText(['place', 'requestId', 'position', ...Object.keys(attemptFields)])
const chargeText = createRowText(['accountId', 'requestId', 'amountNano', 'sumNano'])
const sumsText = createRowText(['tokenId', 'day', 'model', ...countedSums])
const askedText = createRowText([...Object.keys(reservationFields), 'isOpen'])

/** Turns batches into what a commit calls. */
export function createPreparation() {
  const named = createNamed()
  return (batch: Batch, known?: Known) => {
    const { settle = [], release = [], reserve = [], grow = [], leases = [] } = batch
    const first = firstOfEach(settle)
    const settled = known
      ? first.filter(({ request }) => !known.stored.has(request.requestId))
      : first
    const requests = settled.map(({ request }) => request)
    const attempts = settled.flatMap(({ request: { requestId }, attempts }, at) =>
      attempts.map((attempt, position) => ({ place: at + 1, requestId, position, ...attempt })),
    )
    const owners = [...first.map(({ request }) => request), ...reserve]
    const wished = wishedOf(leases)
    const accountIds = distinct([
      ...[...owners, ...grow].map(({ accountId }) => accountId),
      ...wished.accountIds,
    ])
    const ownTokens = distinct(owners.map(({ tokenId }) => tokenId))
    const otherTokens = wished.tokenIds.filter((tokenId) => !ownTokens.includes(tokenId))
    const { charges, charged } = chargesOf(settled)
    const sums = createDaySums()
    for (const request of requests) sums.add(request)
    const answers = answersOf(first)
    const unseen = named.unseen(requests, attempts)
    const more = {
      ...(release.length > 0 && { released: distinct(release) }),
      ...(grow.length > 0 && { grow }),
      ...(known && known.swept.size > 0 && { swept: [...known.swept] }),
      ...(unseen && { named: unseen }),
      ...(otherTokens.length > 0 && { wished: otherTokens }),
      ...answers,
    }
    return {
      // Most batches have none, and are spared what is done for them.
      name: answers === undefined ? calls.commitRequests : calls.commitAnswers,
      notices: overrunPayloads(settled.flatMap(({ overrun }) => overrun ?? [])),
      ...extent(owners.map(({ requestId }) => requestId)),
      /** In the order of the function's parameters, as far as the batch gives them. */
      values: [
        settledText(requests),
        triedText(attempts),
        chargeText(charges),
        sumsText([...sums.all()].sort(byKey)),
        sumsText([...sums.totals()].sort(byKey)),
        askedText(reserve.filter(isDecided)),
        askedText(reserve.filter((one) => !isDecided(one))),
        [...reservedOf(first), ...distinct(release)],
        accountIds,
        accountIds.map((id) => charged.get(id) ?? 0),
        [...ownTokens, ...otherTokens],
        ...leaseColumns(first, leases, known?.stored),
        toJson(more),
      ],
      /** The database has what the batch names. */
      done: () => named.seen(unseen),
    }
  }
}

/** Of a request that is settled twice the first counts. */
function firstOfEach(settle: readonly Settlement[]): readonly Settlement[] {
  const first = new Map<string, Settlement>()
  for (const one of settle) {
    if (!first.has(one.request.requestId)) first.set(one.request.requestId, one)
  }
  return first.size === settle.length ? settle : [...first.values()]
}

/** Others reserve nothing. */
const isDecided = ({ amountNano, isOpen }: Reservation) => amountNano > 0 || isOpen === true

/** Settled requests that may have a reservation. */
const reservedOf = (settled: readonly Settlement[]): readonly string[] =>
  settled.flatMap(({ request, neverReserved }) => (neverReserved ? [] : request.requestId))

interface Charge extends Pick<RequestRow, 'accountId' | 'requestId' | 'amountNano'> {
  /** Of the batch's charges to the account, up to this one. */
  readonly sumNano: number
}

/** Charges, and by account their sum. */
function chargesOf(settled: readonly Settlement[]) {
  const charges: Charge[] = []
  const charged = new Map<number, number>()
  for (const { request } of settled) {
    const { accountId, requestId, amountNano } = request
    if (amountNano === 0) continue
    const sumNano = (charged.get(accountId) ?? 0) + amountNano
    charged.set(accountId, sumNano)
    charges.push({ accountId, requestId, amountNano, sumNano })
  }
  return { charges, charged }
}

/** In one order in all commits, which so can't lock each other out. */
function byKey(one: SumKey, other: SumKey): number {
  if (one.tokenId !== other.tokenId) return (one.tokenId ?? 0) - (other.tokenId ?? 0)
  if (one.day !== other.day) return one.day < other.day ? -1 : 1
  return one.model < other.model ? -1 : 1
}
interface SumKey {
  readonly tokenId?: number
  readonly day: string
  readonly model: string
}

function extent(ids: readonly string[]) {
  let [lowest, highest] = ['', '']
  for (const id of ids) {
    if (lowest === '' || id < lowest) lowest = id
    if (id > highest) highest = id
  }
  return { lowest, highest }
}

function answersOf(settled: readonly Settlement[]) {
  const begun = settled.flatMap((one) => one.begun ?? [])
  const kept = settled.flatMap((one) => one.kept ?? [])
  const ended = settled.filter((one) => one.endsBackground).map((one) => one.request.requestId)
  if (begun.length + kept.length + ended.length === 0) return undefined
  return { begun, kept, ended, dueInMs: firstLookMs }
}

const distinct = <Value>(values: readonly Value[]) => [...new Set(values)]

/** Ids by the tables of their rows. */
type Named = Readonly<Record<'token' | 'group' | 'channel' | 'model_price', readonly number[]>>

const mostSeen = 10_000

/** Rows that requests name, and that were found to be there: they are never deleted. */
function createNamed() {
  const known = { token: new Set<number>(), group: new Set<number>() }
  const seen = { ...known, channel: new Set<number>(), model_price: new Set<number>() }

  const without = (table: keyof Named, ids: readonly (number | null)[]) =>
    distinct(ids).flatMap((id) => (id === null || seen[table].has(id) ? [] : id))

  return {
    /** Undefined: all were seen. */
    unseen(
      requests: readonly RequestRow[],
      attempts: readonly { readonly channelId: number }[],
    ): Named | undefined {
      const found = {
        token: without(
          'token',
          requests.map(({ tokenId }) => tokenId),
        ),
        group: without(
          'group',
          requests.map(({ groupId }) => groupId),
        ),
        channel: without(
          'channel',
          [...requests, ...attempts].map(({ channelId }) => channelId),
        ),
        model_price: without(
          'model_price',
          requests.map(({ priceId }) => priceId),
        ),
      }
      return Object.values(found).some((ids) => ids.length > 0) ? found : undefined
    },
    seen(named: Named | undefined): void {
      if (named === undefined) return
      for (const table of ['token', 'group', 'channel', 'model_price'] as const) {
        if (seen[table].size > mostSeen) seen[table].clear()
        for (const id of named[table]) seen[table].add(id)
      }
    },
  }
}
