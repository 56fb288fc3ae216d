import type { Clock } from '../../lib/clock.ts'
import type { Extent, Page, VerificationStore } from '../../store/ports/verification.ts'
import { checkRequest } from './check-request.ts'
import {
  attemptsDifference,
  backgroundDifference,
  balanceDifference,
  createEntryWalk,
  dayDifference,
  fileDifference,
  reservationDifference,
  reservedDifference,
  spendingDifference,
} from './check-sums.ts'
import { createFindings, type Difference } from './findings.ts'
import { createPrices, createPriceTimes } from './prices.ts'

/** Progress of a part; `total` 0: unknown. */
export interface Progress {
  readonly part: string
  readonly done: number
  readonly total: number
}

interface VerifyParts {
  readonly store: VerificationStore
  /** Only later records; undefined: everything, and the file itself. */
  readonly since: number | undefined
  /** Checks every page and cell too; only without `since`. */
  readonly isDeep?: boolean
  readonly tick: Clock
  readonly onProgress: (progress: Progress) => void
  /** Called with non-empty pages of differences; the work waits for it. */
  readonly onFound: (found: readonly Difference[]) => Promise<void>
}

export interface Verified {
  /** The file is damaged, so nothing else was verified. */
  readonly isDamaged: boolean
  readonly unchecked: readonly string[]
  readonly requests: number
  readonly entries: number
  readonly accounts: number
  readonly reservations: number
  readonly chargedNano: bigint
  readonly durationMs: number
}

/** Recomputes every charge, balance and sum, in constant memory. */
export async function verify(parts: VerifyParts): Promise<Verified> {
  const { store, since } = parts
  const startedTick = parts.tick()
  const { isDamaged, unchecked } = await checkFile(parts)
  if (isDamaged) {
    const durationMs = parts.tick() - startedTick
    return { ...nothingLookedAt, isDamaged, unchecked, durationMs }
  }
  const extent = await store.extent(since)
  const requests = await checkRequests(parts, extent)
  const entries = await checkEntries(parts, extent)
  await checkSums(parts, extent)
  const others = await store.counts()
  const durationMs = parts.tick() - startedTick
  return { isDamaged, unchecked, ...requests, entries, ...others, durationMs }
}

/** Verifies everything; collects what differs. */
export async function verifyAll(store: VerificationStore, onProgress: VerifyParts['onProgress']) {
  const findings = createFindings()
  const verified = await verify({
    ...{ store, since: undefined, tick: () => performance.now(), onProgress },
    onFound: async (found) => void findings.add(found),
  })
  return { verified, findings }
}

const nothingLookedAt = { requests: 0, entries: 0, accounts: 0, reservations: 0, chargedNano: 0n }

async function walk<Row>(
  { onProgress, onFound }: VerifyParts,
  { part, total }: Pick<Progress, 'part' | 'total'>,
  pages: AsyncIterable<Page<Row>>,
  check: (page: Page<Row>) => Promise<readonly Difference[]> | readonly Difference[],
): Promise<void> {
  let done = 0
  onProgress({ part, done, total })
  for await (const page of pages) {
    const found = await check(page)
    if (found.length > 0) await onFound(found)
    done += page.looked
    onProgress({ part, done, total })
  }
}

/** The store has compared already: each row is a difference. */
const eachAs =
  <Row>(describe: (row: Row) => Difference) =>
  ({ rows }: Page<Row>) =>
    rows.map(describe)

async function checkFile(parts: VerifyParts) {
  let isDamaged = false
  const unchecked: string[] = []
  if (parts.since !== undefined) return { isDamaged, unchecked }
  const pages = parts.store.checkFile(parts.isDeep ?? false)
  await walk(parts, { part: 'the file', total: 0 }, pages, ({ rows }) => {
    isDamaged ||= rows.some(({ kind }) => kind === 'damage')
    return rows.flatMap((fault) => {
      if (fault.kind !== 'unchecked') return [fileDifference(fault)]
      unchecked.push(fault.text)
      return []
    })
  })
  return { isDamaged, unchecked }
}

async function checkRequests(parts: VerifyParts, extent: Extent) {
  const prices = createPrices(parts.store)
  const timed = createPriceTimes(parts.store)
  let requests = 0
  let chargedNano = 0n
  const kind = { part: 'requests', total: requestsIn(extent) }
  await walk(parts, kind, parts.store.requests(extent), async ({ rows }) => {
    const found: Difference[] = []
    for (const request of rows) {
      const { priceId, amountNano } = request
      let price = priceId === null ? null : prices.known(priceId)
      if (price === undefined && priceId !== null) price = await prices.find(priceId)
      const one = price && timed(request, price)
      price = one instanceof Promise ? await one : one
      for (const difference of checkRequest(request, price ?? null)) found.push(difference)
      chargedNano += BigInt(amountNano)
    }
    requests += rows.length
    return found
  })
  return { requests, chargedNano }
}

async function checkEntries(parts: VerifyParts, extent: Extent): Promise<number> {
  const entryWalk = createEntryWalk()
  let entries = 0
  const kind = { part: 'ledger entries', total: extent.lastEntry - extent.firstEntry + 1 }
  await walk(parts, kind, parts.store.entries(extent), ({ rows }) => {
    entries += rows.length
    return rows.flatMap((entry) => entryWalk.next(entry))
  })
  const last = entryWalk.end()
  if (last.length > 0) await parts.onFound(last)
  return entries
}

async function checkSums(parts: VerifyParts, extent: Extent): Promise<void> {
  const { store } = parts
  const total = requestsIn(extent)
  const attempts = store.oddAttempts(extent)
  await walk(parts, { part: 'daily sums', total }, store.oddDays(extent), eachAs(dayDifference))
  await walk(parts, { part: 'attempts', total }, attempts, eachAs(attemptsDifference))
  const rest = { part: 'balances', total: 0 }
  await walk(parts, rest, store.oddBalances(extent), eachAs(balanceDifference))
  await walk(parts, rest, store.oddReserved(), eachAs(reservedDifference))
  await walk(parts, rest, store.oddSpendings(), eachAs(spendingDifference))
  await walk(parts, rest, store.leftReservations(), eachAs(reservationDifference))
  await walk(parts, rest, store.oddBackground(extent), eachAs(backgroundDifference))
}

const requestsIn = ({ firstRequest, lastRequest }: Extent) => lastRequest - firstRequest + 1
