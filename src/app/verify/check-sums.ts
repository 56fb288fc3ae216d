import {
  dayColumns,
  type FileFault,
  type OddAttempts,
  type OddDay,
  type OddSum,
} from '../../store/ports/verification.ts'
import { changesIn, type Difference } from './difference.ts'

/** Words for what the store's own checks found. */
export function fileDifference(fault: FileFault): Difference {
  const { kind, table } = fault
  if (kind !== 'dangling') return { kind, row: `table ${table}`, changes: [], reason: fault.text }
  const reason = `${fault.column} is ${fault.value}, but there is no such ${fault.parent}`
  return { kind, row: `${table} ${fault.row}`, changes: [], reason }
}

/** Words for a daily sum: these are what budgets are held to. */
export function dayDifference({ tokenId, day, model, stored, summed }: OddDay): Difference {
  const row = `usage_day of token ${tokenId}, ${day}, model ${JSON.stringify(model)}`
  if (summed === null) {
    return { kind: 'day', row, changes: [], reason: 'there are no such requests' }
  }
  if (stored === null) {
    const reason = `is missing, though there are ${summed.requests} such requests, which cost ${summed.amount_nano} nano-USD`
    return { kind: 'day', row, changes: [], reason }
  }
  const changes = changesIn(
    dayColumns.map((column) => [column, stored[column], summed[column]] as const),
  )
  return { kind: 'day', row, changes, reason: 'the sum of its requests' }
}

/** Words for a balance of an account that has no entry in the span that is verified. */
export function balanceDifference(sum: OddSum): Difference {
  return sumDifference('balance', 'balance_nano', sum, 'what its newest ledger entry left')
}

/** Words for what is set aside. */
export function reservedDifference(sum: OddSum): Difference {
  return sumDifference('reserved', 'reserved_nano', sum, 'the sum of its reservations')
}

function sumDifference(
  kind: 'balance' | 'reserved',
  field: string,
  { accountId, email, storedNano, expectedNano }: OddSum,
  reason: string,
): Difference {
  const changes = [{ field, stored: storedNano, expected: expectedNano }]
  return { kind, row: `account ${accountId} (${email})`, changes, reason }
}

/** Words for a reservation that should have ended with its request. */
export function reservationDifference(requestId: string): Difference {
  const row = `reservation ${requestId}`
  return { kind: 'reservation', row, changes: [], reason: 'is open, but its request has ended' }
}

/** Words for attempts with holes between them. */
export function attemptsDifference(odd: OddAttempts): Difference {
  const { requestRow, requestId, count, lowest, highest } = odd
  if (requestId === null) {
    const row = `attempts of request row ${requestRow}`
    return { kind: 'attempts', row, changes: [], reason: 'belong to a request that does not exist' }
  }
  const missing = highest + 1 - count
  const reason =
    lowest < 0
      ? `its attempts begin at position ${lowest}`
      : `${missing} of its attempts from 0 to ${highest} ${missing === 1 ? 'is' : 'are'} missing`
  return { kind: 'attempts', row: `request ${requestId}`, changes: [], reason }
}
