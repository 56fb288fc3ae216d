import { sql } from 'kysely'
import type { Queries } from '../queries.ts'

/** Live tokens of a group or an account, counted through an index and no further than `atMost`. */
export function countTokens(
  { build, first }: Queries,
  owner: 'group_id' | 'account_id',
  id: number,
  atMost: number,
): number {
  const rows = build
    .selectFrom('token')
    .select(sql`1`.as('one'))
    .where(owner, '=', id)
    .where('deleted_at', 'is', null)
    .limit(atMost)
  const count = build.selectFrom(rows.as('row')).select((eb) => eb.fn.countAll<number>().as('n'))
  return first(count)?.n ?? 0
}
