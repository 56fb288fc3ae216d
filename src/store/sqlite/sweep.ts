import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'
import { interruptedFrom } from '../schema/records.ts'

/**
 * Keeps reservations of background answers, whose upstream is still working, and those of `$held`, a JSON array of
 * request ids.
 */
const lost = `request_id NOT IN (SELECT request_id FROM background_answer)
  AND request_id NOT IN (SELECT value FROM json_each($held))`

const countIn = (table: string, key: string, selected: string) => `
INSERT INTO ${table}
SELECT ${selected}$day, iif(price_id IS NULL, '', ifnull(model, '')), count(*), 0, 0, 0, 0, 0, 0, 0,
  count(*), 0, 0
FROM reservation WHERE ${lost} AND created_at >= $from AND created_at < $from + 86400000
  AND NOT EXISTS (SELECT 1 FROM request WHERE request.request_id = reservation.request_id)
GROUP BY ${selected}iif(price_id IS NULL, '', ifnull(model, ''))
ON CONFLICT (${key}) DO UPDATE SET requests = requests + excluded.requests,
  failed = failed + excluded.failed`

const countRequests = [
  countIn('usage_day', 'token_id, day, model', 'token_id, '),
  countIn('usage_total', 'day, model', ''),
]

const selectDays = 'SELECT DISTINCT created_at / 86400000 * 86400000 AS "from" FROM reservation'

const summed =
  '(SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE account_id = account.id)'

/**
 * Ends all leases, and turns reservations without a record into interrupted requests at no cost; gives how
 * many.
 */
export function createSweep(db: Database): (held?: readonly string[]) => number {
  type Day = { day: string; from: number; held: string }
  return db.transaction((ids: readonly string[] = []) => {
    const held = JSON.stringify(ids)
    for (const { from } of db.query<{ from: number }, []>(selectDays).all()) {
      for (const text of countRequests)
        db.query<void, [Day]>(text).run({ day: utcDay(from), from, held })
    }
    const { changes: interrupted } = db
      .query<void, [{ held: string }]>(interruptedFrom(`reservation WHERE ${lost}`))
      .run({ held })
    db.query<void, [{ held: string }]>(`DELETE FROM reservation WHERE ${lost}`).run({ held })
    db.run('DELETE FROM lease')
    db.run(`UPDATE account SET reserved_nano = ${summed} WHERE reserved_nano <> ${summed}`)
    return interrupted
  }).immediate
}
