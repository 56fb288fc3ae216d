import { isOfAccount, tokenOf } from '../schema/lease.ts'
import { sql } from '../schema/sql.ts'
import { all, run, type Steps } from './steps.ts'

/** Gives the money of a node's leases back to its accounts and budgets; without a node that of all. */
export function* endLeases(nodeId?: number): Steps<void> {
  const which = nodeId === undefined ? 'TRUE' : `node_id = ${nodeId}`
  // Who has locked an account may write the rows of its tokens.
  yield* all(sql`SELECT id FROM account WHERE id IN (
      SELECT purse FROM lease WHERE ${sql.raw(`${isOfAccount('purse')} AND ${which}`)}
      UNION SELECT account_id FROM token JOIN lease ON id = ${sql.raw(`${tokenOf('purse')} WHERE ${which}`)}
    ) ORDER BY id ${sql.onPostgres('FOR NO KEY UPDATE', '')}`)
  yield* run(sql`${sql.onPostgres(ofBudgets(which), '')}
    UPDATE account SET reserved_nano = reserved_nano - (
      SELECT sum(amount_nano) FROM lease WHERE purse = account.id AND ${sql.raw(which)}
    ) WHERE id IN (SELECT purse FROM lease WHERE ${sql.raw(which)})`)
  yield* run(sql`DELETE FROM lease WHERE ${sql.raw(which)}`)
}

/** SQLite keeps no such sums. */
const ofBudgets = (which: string) => `WITH of_budgets AS (
  UPDATE token_spending SET reserved_nano = reserved_nano - nano FROM (
    SELECT ${tokenOf('purse')} AS id, sum(amount_nano) AS nano FROM lease WHERE ${which} GROUP BY purse
  ) AS share WHERE token_id = share.id
)`
