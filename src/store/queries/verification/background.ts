import { sql } from 'kysely'
import { chargeSuffix, longestLifeMs } from '../../ports/answers.ts'
import type { Extent, OddBackground, Page } from '../../ports/verification.ts'
import { all } from '../steps.ts'
import { idSteps, inPages, pause } from './paging.ts'
import type { Reading } from './verification.ts'

const chargeId = sql`request.request_id || ${sql.lit(chargeSuffix)}`

const selectLost = (after: number, to: number) => sql<OddBackground>`
SELECT request_id AS "requestId", 'lost' AS fault FROM request
WHERE id > ${after} AND id <= ${to} AND ending = 'background'
  AND NOT EXISTS (SELECT 1 FROM request AS charge WHERE charge.request_id = ${chargeId})
  AND NOT EXISTS (SELECT 1 FROM background_answer AS held WHERE held.request_id = ${chargeId})`

/**
 * It is older than one may live, and nobody has looked at it, as the newest request tells the time: by
 * the time of any other, somebody may have set the clock forwards and back since.
 */
const slackMs = 3_600_000

const selectHeld = sql<OddBackground>`
SELECT request_id AS "requestId", CASE WHEN EXISTS (
    SELECT 1 FROM request WHERE request.request_id = held.request_id
  ) THEN 'charged' ELSE 'overdue' END AS fault
FROM background_answer AS held
CROSS JOIN (SELECT created_at AS now_ms FROM request ORDER BY id DESC LIMIT 1) AS newest
WHERE (created_at < now_ms - ${sql.lit(longestLifeMs + slackMs)} AND due_at < now_ms - ${sql.lit(slackMs)})
  OR EXISTS (SELECT 1 FROM request WHERE request.request_id = held.request_id)`

const requestStep = 20_000

/** A charge and the end of what is held for it are written in one transaction. */
export async function* readOddBackground(
  { read }: Reading,
  { firstRequest, lastRequest }: Extent,
): AsyncGenerator<Page<OddBackground>> {
  for (const { after, to } of idSteps(firstRequest, lastRequest, requestStep)) {
    yield* inPages(await read(() => all(selectLost(after, to))))
    await pause()
  }
  yield* inPages(await read(() => all(selectHeld)))
}
