import { sql } from 'kysely'
import { type Clock, utcDay } from '../../../lib/clock.ts'
import type { Listed, ListedToken, ListedTokenFilter, PageAsked } from '../../ports/lists.ts'
import { readToken, selectTokens } from '../admin.ts'
import { all, type Steps } from '../steps.ts'
import { readUsed, unused } from '../token-usage.ts'
import { type Condition, conditionsOf, contains, equals } from './conditions.ts'
import { readPage } from './page.ts'
import { endOfIds, type IdIndex, idsOf, type Search } from './search.ts'
import type { ListSource } from './source.ts'

/** Live tokens of a filter, newest first, with what was spent with them. */
export function listTokens(
  { source, clock }: { source: ListSource; clock: Clock },
  filter: ListedTokenFilter,
  page: PageAsked,
): Promise<Listed<ListedToken>> {
  const { accountId, group, status, search } = filter
  const index = accountId === undefined ? undefined : ofAccount(accountId)
  const others = conditionsOf(
    sql`deleted_at IS NULL`,
    equals('status', status),
    group === undefined ? undefined : ofGroup(group),
    contains(['name', 'key_hint'], search),
  )
  const where: Search = { table: 'token', id: 'id', index, others, from: 0, to: endOfIds }
  return readPage(source, where, page, (keys) =>
    source.read(() => readTokens(idsOf(keys), utcDay(clock()))),
  )
}

const ofAccount = (accountId: number): IdIndex => ({
  name: 'token_account',
  where: sql`account_id = ${accountId} AND deleted_at IS NULL`,
})

const ofGroup = (name: string): Condition =>
  sql`group_id IN (SELECT id FROM "group" WHERE name = ${name} AND deleted_at IS NULL)`

/** The live tokens with these ids, newest first, with what was spent with them by a UTC day. */
export function* readTokens(ids: readonly number[], day: string): Steps<readonly ListedToken[]> {
  const rows = yield* all(
    selectTokens()
      .select('token.account_id as accountId')
      .where('token.id', 'in', ids)
      .orderBy('token.id', 'desc'),
  )
  const used = yield* readUsed(ids, day)
  return rows.map((row) => {
    const { keyHash: _, keySealed: __, ...token } = readToken(row)
    return { ...token, accountId: row.accountId, ...(used.get(row.id) ?? unused(day)) }
  })
}
