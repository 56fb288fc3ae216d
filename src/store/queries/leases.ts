import { type Sql, sql } from '../schema/sql.ts'
import { run, type Steps } from './steps.ts'

/** Gives the money of some leases back to their accounts. `which`: a condition on `lease`. */
export function* endLeases(which: Sql): Steps<void> {
  yield* run(sql`UPDATE account SET reserved_nano = reserved_nano - (
      SELECT sum(amount_nano) FROM lease WHERE account_id = account.id AND ${which}
    ) WHERE id IN (SELECT account_id FROM lease WHERE ${which})`)
  yield* run(sql`DELETE FROM lease WHERE ${which}`)
}
