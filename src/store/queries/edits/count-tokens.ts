import { sql } from 'kysely'
import { build } from '../build.ts'
import { first, type Steps } from '../steps.ts'

/** Live tokens of a group or an account, counted through an index and no further than `atMost`. */
export function* countTokens(
  owner: 'group_id' | 'account_id',
  id: number,
  atMost: number,
): Steps<number> {
  const rows = build
    .selectFrom('token')
    .select(sql`1`.as('one'))
    .where(owner, '=', id)
    .where('deleted_at', 'is', null)
    .limit(atMost)
  const count = build.selectFrom(rows.as('row')).select((eb) => eb.fn.countAll<number>().as('n'))
  return (yield* first(count))?.n ?? 0
}
