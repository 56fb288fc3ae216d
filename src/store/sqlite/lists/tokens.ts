import { type Clock, utcDay } from '../../../lib/clock.ts'
import type { Listed, ListedToken, ListedTokenFilter, PageAsked } from '../../ports/lists.ts'
import type { Spent } from '../../ports/records.ts'
import { readToken, selectTokens } from '../admin.ts'
import type { Queries } from '../queries.ts'
import { conditionsOf, contains, equals } from './conditions.ts'
import { readPage } from './page.ts'
import type { Reader } from './reader.ts'
import { type Condition, endOfIds, type IdIndex, runBuilt, type Search } from './search.ts'

/** Live tokens of a filter, newest first, with what was spent with them. */
export function listTokens(
  { reader, queries, clock }: { reader: Reader; queries: Queries; clock: Clock },
  filter: ListedTokenFilter,
  page: PageAsked,
): Promise<Listed<ListedToken>> {
  const { accountId, group, status, search } = filter
  const index = accountId === undefined ? undefined : ofAccount(accountId)
  const others = conditionsOf(
    { sql: 'deleted_at IS NULL', values: [] },
    equals('status', status),
    group === undefined ? undefined : ofGroup(group),
    contains(['name', 'key_hint'], search),
  )
  const where: Search = { table: 'token', id: 'id', index, others, from: 0, to: endOfIds }
  return readPage(reader, where, page, async (keys) => {
    const ids = keys.map(({ id }) => id)
    const query = selectTokens(queries)
      .select('token.account_id as accountId')
      .where('token.id', 'in', ids)
      .orderBy('token.id', 'desc')
    const rows = (await runBuilt(reader, query)).map(readToken)
    const used = await usedBy(reader, ids, utcDay(clock()))
    return rows.map(({ keyHash: _, keySealed: __, ...token }) => ({
      ...token,
      ...(used.get(token.id) ?? unused(utcDay(clock()))),
    }))
  })
}

const ofAccount = (accountId: number): IdIndex => ({
  name: 'token_account',
  where: { sql: 'account_id = ? AND deleted_at IS NULL', values: [accountId] },
})

const ofGroup = (name: string): Condition => ({
  sql: 'group_id IN (SELECT id FROM "group" WHERE name = ? AND deleted_at IS NULL)',
  values: [name],
})

type Used = Pick<ListedToken, 'spent' | 'lastUsedDay'>

const unused = (day: string): Used => ({
  spent: { totalNano: 0, dayNano: 0, monthNano: 0, day },
  lastUsedDay: null,
})

/** Daily sums of tokens, by token. */
async function usedBy(reader: Reader, ids: readonly number[], day: string) {
  const rows = await reader.all<Omit<Spent, 'day'> & { id: number; lastUsedDay: string }>(
    `SELECT token_id AS id, max(day) AS lastUsedDay, sum(amount_nano) AS totalNano,
      ifnull(sum(amount_nano) FILTER (WHERE day = ?), 0) AS dayNano,
      ifnull(sum(amount_nano) FILTER (WHERE substr(day, 1, 7) = ?), 0) AS monthNano
    FROM usage_day WHERE token_id IN (${ids.map(() => '?').join(', ')}) GROUP BY token_id`,
    [day, day.slice(0, 7), ...ids],
  )
  return new Map<number, Used>(
    rows.map(({ id, lastUsedDay, ...spent }) => [id, { lastUsedDay, spent: { ...spent, day } }]),
  )
}
