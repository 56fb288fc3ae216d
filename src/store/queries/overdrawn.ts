import { sql } from 'kysely'
import type { Overdrawn, OverdrawnAccount, OverdrawnFilter } from '../ports/admin.ts'
import type { Condition } from './lists/conditions.ts'
import { all, type Steps } from './steps.ts'

/** As `overdrawnNano` has it, of the columns of an account. */
export const isOverdrawn: Condition = sql`balance_nano + credit_limit_nano < 0`

/** The entry that took a balance there is looked for so far back: since then nobody has paid. */
const mostEntries = sql.lit(1_000)

interface Found extends OverdrawnAccount {
  readonly count: number
}

const selectOverdrawn = ({ accountId, atMost }: OverdrawnFilter) => sql<Found>`
SELECT owing.*, (
  SELECT request_id FROM (
    SELECT id, request_id, balance_after_nano AS after_nano, amount_nano FROM ledger
    WHERE account_id = owing.id ORDER BY id DESC LIMIT ${mostEntries}
  ) AS newest
  WHERE after_nano < -owing."creditLimitNano" AND after_nano - amount_nano >= -owing."creditLimitNano"
  ORDER BY id DESC LIMIT 1
) AS "requestId"
FROM (
  SELECT id, email, balance_nano AS "balanceNano", credit_limit_nano AS "creditLimitNano",
    count(*) OVER () AS count
  FROM account WHERE deleted_at IS NULL AND ${isOverdrawn}
    ${accountId === undefined ? sql`` : sql`AND id = ${accountId}`}
  ORDER BY balance_nano + credit_limit_nano, id LIMIT ${sql.lit(atMost)}
) AS owing ORDER BY owing."balanceNano" + owing."creditLimitNano", owing.id`

/** Live accounts that owe more than their credit limits allow. */
export function* readOverdrawn(filter: OverdrawnFilter): Steps<Overdrawn> {
  const found = yield* all(selectOverdrawn(filter))
  return {
    count: found[0]?.count ?? 0,
    accounts: found.map(({ count: _, ...account }) => account),
  }
}
