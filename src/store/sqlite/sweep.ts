import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'
import { interruptedFrom } from '../schema/records.ts'

/** Reservations of background answers stay: their upstream is still working. */
const lost = 'request_id NOT IN (SELECT request_id FROM background_answer)'

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

const held = '(SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE account_id = account.id)'

/** Turns reservations without a record into interrupted requests at no cost; gives how many. */
export function createSweep(db: Database): () => number {
  return db.transaction(() => {
    for (const { from } of db.query<{ from: number }, []>(selectDays).all()) {
      for (const text of countRequests)
        db.query<void, [{ day: string; from: number }]>(text).run({ day: utcDay(from), from })
    }
    const { changes: interrupted } = db.run(interruptedFrom(`reservation WHERE ${lost}`))
    db.run(`DELETE FROM reservation WHERE ${lost}`)
    db.run(`UPDATE account SET reserved_nano = ${held} WHERE reserved_nano <> ${held}`)
    return interrupted
  }).immediate
}
