import type { Logger } from '../../lib/log.ts'
import type { LedgerKind } from '../../store/ports/records.ts'
import {
  type CheckedEntry,
  type DaySums,
  dayColumns,
  type FileFault,
  type OddAttempts,
  type OddBackground,
  type OddDay,
  type OddSpending,
  type OddSum,
  type VerificationStore,
} from '../../store/ports/verification.ts'
import { changesIn, type Difference, describeDifference, differing, fault } from './findings.ts'

/** A fault that the store's own checks found, in words. */
export function fileDifference(found: Exclude<FileFault, { kind: 'unchecked' }>): Difference {
  const { kind, table } = found
  const place = table === '' ? 'the file' : `table ${table}`
  if (kind !== 'dangling') return fault(kind, place, found.text)
  const reason = `${found.column} is ${found.value}, but there is no such ${found.parent}`
  return fault(kind, `${table} ${found.row}`, reason)
}

/** A wrong daily sum: a token's holds budgets, the sum of all tokens feeds charts. */
export function dayDifference(odd: OddDay): Difference {
  const { tokenId, day, model, stored, summed } = odd
  const of = `${day}, model ${JSON.stringify(model)}`
  if (tokenId === null) return totalDifference(odd, `usage_total of ${of}`)
  const row = `usage_day of token ${tokenId}, ${of}`
  if (summed === null) return fault('day', row, 'there are no such requests')
  if (stored === null) {
    const reason = `is missing, though there are ${summed.requests} such requests, which cost ${summed.amount_nano} nano-USD`
    return fault('day', row, reason)
  }
  const changes = sumChanges(stored, summed)
  return { kind: 'day', row, changes, reason: 'the sum of its requests' }
}

/** No charge depends on a total, so it may be corrected manually. */
function totalDifference({ stored, summed }: OddDay, row: string): Difference {
  if (summed === null) {
    const reason =
      'usage_day has no such rows. Only charts show it; delete it, and they will be right'
    return fault('total', row, reason)
  }
  const way = 'Only charts show it; put that into it, and they will be right'
  if (stored === null) {
    const figures = dayColumns.map((column) => `${column} ${summed[column]}`).join(', ')
    const reason = `is missing, though usage_day has such rows, whose sum is ${figures}. ${way}`
    return fault('total', row, reason)
  }
  const reason = `the sum of such rows in usage_day. ${way}`
  return { kind: 'total', row, changes: sumChanges(stored, summed), reason }
}

const sumChanges = (stored: DaySums, summed: DaySums) =>
  changesIn(dayColumns.map((column) => [column, stored[column], summed[column]] as const))

const sumDifference =
  (kind: 'balance' | 'reserved', reason: string) =>
  ({ accountId, email, storedNano, expectedNano }: OddSum): Difference => {
    const changes = [{ field: `${kind}_nano`, stored: storedNano, expected: expectedNano }]
    return { kind, row: `account ${accountId} (${email})`, changes, reason }
  }

/** The balance of an account without an entry in the verified span. */
export const balanceDifference = sumDifference('balance', 'what its newest ledger entry left')

export const reservedDifference = sumDifference(
  'reserved',
  'the sum of its reservations and leases',
)

const spendingFields = ['total_nano', 'month_nano', 'day_nano', 'reserved_nano'] as const

/** Wrong spending of a token with a budget, which decides its requests. */
export function spendingDifference({ tokenId, day, stored, summed }: OddSpending): Difference {
  return {
    kind: 'spending',
    row: `token_spending of token ${tokenId}, ${day}`,
    changes: changesIn(
      spendingFields.map((field, at) => [field, stored[at] ?? null, summed[at] ?? null] as const),
    ),
    reason:
      'the sum of its days in usage_day, or of its reservations and leases. Delete the row: the next ' +
      'request of the token creates it again',
  }
}

/** A reservation that outlived its request. */
export const reservationDifference = (requestId: string): Difference =>
  fault('reservation', `reservation ${requestId}`, 'is open, but its request has ended')

const backgroundFaults: Readonly<Record<OddBackground['fault'], string>> = {
  lost: 'its answer was made in the background, and is neither charged nor to be',
  charged: 'its answer in the background is still to be charged, but it is charged',
  overdue: 'its answer in the background should be charged by now, whatever became of it',
}

export const backgroundDifference = ({ requestId, fault: found }: OddBackground): Difference =>
  fault('background', `request ${requestId}`, backgroundFaults[found])

/** Attempts with gaps between them. */
export function attemptsDifference(odd: OddAttempts): Difference {
  const { requestRow, requestId, count, lowest, highest } = odd
  if (requestId === null) {
    const row = `attempts of request row ${requestRow}`
    return fault('attempts', row, 'belong to a request that does not exist')
  }
  const missing = highest + 1 - count
  const reason =
    lowest < 0
      ? `its attempts begin at position ${lowest}`
      : `${missing} of its attempts from 0 to ${highest} ${missing === 1 ? 'is' : 'are'} missing`
  return fault('attempts', `request ${requestId}`, reason)
}

const signs: { readonly [kind in LedgerKind]: 1 | -1 } = {
  opening: 1,
  credit: 1,
  charge: -1,
  debit: -1,
}

/**
 * Checks each entry, the balance that it left, and each account's final balance. A wrong, missing or
 * surplus entry is reported once, without those that follow: an entry is right when its balance follows
 * from the one before it, from the last one that was right, or from the sum of all before.
 */
export function createEntryWalk() {
  let last: CheckedEntry | undefined
  let sumNano = 0
  let rightNano = 0

  function end(): readonly Difference[] {
    if (last === undefined || last.balanceNano === null) return []
    const changes = changesIn([['balance_nano', last.balanceNano, sumNano]])
    const row = `account ${last.accountId} (${last.email})`
    return differing('balance', row, 'the sum of its ledger entries', changes)
  }

  return {
    next(entry: CheckedEntry): readonly Difference[] {
      const found: Difference[] = []
      const isFirst = last?.accountId !== entry.accountId
      if (isFirst) {
        found.push(...end())
        sumNano = entry.beforeNano ?? 0
      }
      const { amountNano, balanceAfterNano } = entry
      const beforeNano = isFirst ? sumNano : (last?.balanceAfterNano ?? 0)
      if (isFirst) rightNano = sumNano
      sumNano += amountNano
      const right = [beforeNano + amountNano, rightNano + amountNano, sumNano]
      if (right.includes(balanceAfterNano)) rightNano = balanceAfterNano
      else found.push(wrongBalance(entry, beforeNano))
      found.push(...checkEntry(entry, isFirst))
      last = entry
      return found
    },
    end,
  }
}

function wrongBalance(entry: CheckedEntry, beforeNano: number): Difference {
  const { id, accountId, amountNano, balanceAfterNano } = entry
  const changes = changesIn([['balance_after_nano', balanceAfterNano, beforeNano + amountNano]])
  const reason = `${amountNano} after a balance of ${beforeNano} of account ${accountId}`
  return { kind: 'balance_after', row: `ledger entry ${id}`, changes, reason }
}

function checkEntry(entry: CheckedEntry, isFirst: boolean): readonly Difference[] {
  const { id, kind, amountNano, requestId, hasRequest, beforeNano } = entry
  const row = `ledger entry ${id}`
  const found: Difference[] = []
  const tell = (reason: string) => found.push(fault('entry', row, reason))
  if (!Number.isSafeInteger(amountNano) || amountNano * signs[kind] <= 0) {
    const sign = signs[kind] > 0 ? 'above' : 'below'
    tell(`amount_nano is ${amountNano}, but with kind "${kind}" it is a whole number ${sign} 0`)
  }
  if (kind === 'opening' && !(isFirst && beforeNano === 0))
    tell('is an opening balance, but not the first entry of its account')
  if (kind === 'charge' && requestId === null) tell('is a charge without a request')
  if (kind !== 'charge' && requestId !== null)
    tell(`is a ${kind}, but names the request ${requestId}`)
  if (requestId !== null && !hasRequest) {
    const reason = `charges ${-amountNano} nano-USD for request ${requestId}, which does not exist`
    found.push(fault('charge_unfounded', row, reason))
  }
  return found
}

/** By then the first requests are answered: they should not wait for it. */
const usualRestMs = 500

/** Runs the cheap database checks in the background soon after the start, and logs problems. */
export function checkAtStart(
  store: Pick<VerificationStore, 'checkSoon'>,
  log: Logger,
  restMs = usualRestMs,
) {
  const ended = new AbortController()

  async function check(): Promise<void> {
    try {
      if (restMs > 0) await rest(restMs, ended.signal)
      if (ended.signal.aborted) return
      for (const found of await store.checkSoon(ended.signal)) {
        if (found.kind === 'unchecked') continue
        log.error('the database is damaged: run "tollgate verify --deep", and restore a backup', {
          found: describeDifference(fileDifference(found)),
        })
      }
    } catch (error) {
      log.warn('the database was not looked at', { error: String(error) })
    }
  }

  const done = check()
  return {
    /** Resolves when all is logged. */
    done,
    async stop(): Promise<void> {
      ended.abort()
      await done
    },
  }
}

/** Ends early with the signal. */
function rest(restMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
