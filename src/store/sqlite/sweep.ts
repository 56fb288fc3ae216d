import type { Database } from 'bun:sqlite'
import { utcDay } from '../../lib/clock.ts'

/** Reservations of background answers stay: their upstream is still working. */
const lost = 'request_id NOT IN (SELECT request_id FROM background_answer)'

/** The client may have received a part: how much is unknown. */
const interrupt = `
INSERT INTO request (request_id, created_at, account_id, token_id, group_id, model,
  client_protocol, operation, stream, status, cause, cause_text, ending, input_tokens,
  output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,
  calls, estimated, clamped, price_id, long_context_pricing, multiplier_millionths, amount_nano,
  duration_ms)
SELECT request_id, created_at, account_id, token_id, group_id, model, client_protocol, operation,
  stream, 500, 'interrupted', 'The gateway was ended while this request was under way.',
  'interrupted', 0, 0, 0, 0, 0, 0, 0, 0, 0, price_id, 1, multiplier_millionths, 0, 0
FROM reservation WHERE ${lost} ON CONFLICT (request_id) DO NOTHING`

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

const held = '(SELECT coalesce(sum(amount_nano), 0) FROM reservation WHERE account_id = account.id)'

/** Turns reservations without a record into interrupted requests at no cost; gives how many. */
export function createSweep(db: Database): () => number {
  return db.transaction(() => {
    const days = db
      .query<{ start: number }, []>(
        'SELECT DISTINCT created_at / 86400000 * 86400000 AS start FROM reservation',
      )
      .all()
    for (const { start } of days) {
      for (const text of countRequests) {
        db.query<void, [{ day: string; from: number }]>(text).run({
          day: utcDay(start),
          from: start,
        })
      }
    }
    const { changes: interrupted } = db.run(interrupt)
    db.run(`DELETE FROM reservation WHERE ${lost}`)
    db.run(`UPDATE account SET reserved_nano = ${held} WHERE reserved_nano <> ${held}`)
    return interrupted
  }).immediate
}
