import { sql } from 'kysely'
import type { Extent, OddAttempts, OddSum, Page } from '../../ports/verification.ts'
import { all, first } from '../steps.ts'
import { idSteps, inPages, pause } from './paging.ts'
import type { Reading } from './verification.ts'

const selectAttempts = (after: number, to: number) => sql<OddAttempts>`
SELECT attempt.request_row AS "requestRow", request.request_id AS "requestId", count(*) AS count,
  min(attempt.position) AS lowest, max(attempt.position) AS highest
FROM attempt LEFT JOIN request ON request.id = attempt.request_row
WHERE attempt.request_row > ${after} AND attempt.request_row <= ${to}
GROUP BY attempt.request_row, request.id, request.request_id
HAVING min(attempt.position) <> 0 OR max(attempt.position) <> count(*) - 1 OR request.id IS NULL`

const attemptStep = 20_000

/** Attempts are counted in their own order; positions can't repeat, they are part of the key. */
export async function* readOddAttempts(
  { read }: Reading,
  { since, firstRequest }: Extent,
): AsyncGenerator<Page<OddAttempts>> {
  const ends = await read(() =>
    first(
      sql<{ first: number | null; last: number | null }>`
        SELECT min(request_row) AS first, max(request_row) AS last FROM attempt`,
    ),
  )
  // An attempt of a request that is gone may have any number, so all are looked at.
  const from = since === undefined ? (ends?.first ?? 0) : firstRequest
  for (const { after, to } of idSteps(from, ends?.last ?? -1, attemptStep)) {
    yield { rows: await read(() => all(selectAttempts(after, to))), looked: to - after }
    await pause()
  }
}

// Sums as floating point never overflow, whatever somebody has written into a row.
const selectReserved = sql<OddSum>`
WITH held AS (
  SELECT account_id, sum(CAST(amount_nano AS double precision)) AS nano
  FROM reservation GROUP BY account_id
)
SELECT account.id AS "accountId", account.email, account.reserved_nano AS "storedNano",
  coalesce(held.nano, 0) AS "expectedNano"
FROM account LEFT JOIN held ON held.account_id = account.id
WHERE account.reserved_nano <> coalesce(held.nano, 0)`

/** Reservations are as many as there are requests under way: one statement does. */
export async function* readOddReserved({ read }: Reading): AsyncGenerator<Page<OddSum>> {
  yield* inPages(await read(() => all(selectReserved)))
}

const selectLeft = sql<{ requestId: string }>`
SELECT request_id AS "requestId" FROM reservation WHERE EXISTS (
  SELECT 1 FROM request WHERE request.request_id = reservation.request_id
)`

/** A request's record and the end of its reservation are written in one transaction. */
export async function* readLeftReservations({ read }: Reading): AsyncGenerator<Page<string>> {
  for (const { rows } of inPages(await read(() => all(selectLeft)))) {
    yield { rows: rows.map(({ requestId }) => requestId), looked: 0 }
  }
}

const selectCounts = sql<{ accounts: number; reservations: number }>`
SELECT (SELECT count(*) FROM account) AS accounts,
  (SELECT count(*) FROM reservation) AS reservations`

/** How much there is of what has no order to be read in. */
export async function countOthers({ read }: Reading) {
  return (await read(() => first(selectCounts))) ?? { accounts: 0, reservations: 0 }
}
