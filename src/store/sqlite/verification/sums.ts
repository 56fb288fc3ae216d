import type { Database } from 'bun:sqlite'
import type { Extent, OddAttempts, OddSum, Page } from '../../ports/verification.ts'
import { idSteps, inPages, pause } from './paging.ts'

const selectAttempts = `
SELECT attempt.request_row AS requestRow, request.request_id AS requestId, count(*) AS count,
  min(attempt.position) AS lowest, max(attempt.position) AS highest
FROM attempt LEFT JOIN request ON request.id = attempt.request_row
WHERE attempt.request_row > $after AND attempt.request_row <= $to
GROUP BY attempt.request_row
HAVING lowest <> 0 OR highest <> count - 1 OR request.id IS NULL`

const attemptStep = 20_000

/** Attempts are counted in their own order; positions can't repeat, they are part of the key. */
export async function* readOddAttempts(
  db: Database,
  { since, firstRequest }: Extent,
): AsyncGenerator<Page<OddAttempts>> {
  using statement = db.prepare<OddAttempts, [{ after: number; to: number }]>(selectAttempts)
  const { first, last } = db
    .query<{ first: number | null; last: number | null }, []>(
      'SELECT min(request_row) AS first, max(request_row) AS last FROM attempt',
    )
    .get() ?? { first: null, last: null }
  // An attempt of a request that is gone may have any number, so all are looked at.
  const from = since === undefined ? (first ?? 0) : firstRequest
  for (const { after, to } of idSteps(from, last ?? -1, attemptStep)) {
    yield { rows: statement.all({ after, to }), looked: to - after }
    await pause()
  }
}

const selectReserved = `
WITH held AS (
  SELECT account_id, total(amount_nano) AS nano FROM reservation GROUP BY account_id
)
SELECT account.id AS accountId, account.email, account.reserved_nano AS storedNano,
  ifnull(held.nano, 0) AS expectedNano
FROM account LEFT JOIN held ON held.account_id = account.id
WHERE account.reserved_nano <> ifnull(held.nano, 0)`

/** Reservations are as many as there are requests under way: one statement does. */
export async function* readOddReserved(db: Database): AsyncGenerator<Page<OddSum>> {
  yield* inPages(db.query<OddSum, []>(selectReserved).iterate())
}

const selectLeft = `
SELECT request_id AS requestId FROM reservation WHERE EXISTS (
  SELECT 1 FROM request WHERE request.request_id = reservation.request_id
)`

/** A request's record and the end of its reservation are written in one transaction. */
export async function* readLeftReservations(db: Database): AsyncGenerator<Page<string>> {
  for (const { rows } of inPages(db.query<{ requestId: string }, []>(selectLeft).iterate())) {
    yield { rows: rows.map(({ requestId }) => requestId), looked: 0 }
  }
}

/** How much there is of what has no order to be read in. */
export function countOthers(db: Database): { accounts: number; reservations: number } {
  const text =
    'SELECT (SELECT count(*) FROM account) AS accounts, ' +
    '(SELECT count(*) FROM reservation) AS reservations'
  return (
    db.query<{ accounts: number; reservations: number }, []>(text).get() ?? {
      accounts: 0,
      reservations: 0,
    }
  )
}
