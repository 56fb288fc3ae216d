import { type Clock, utcDay } from '../../../lib/clock.ts'
import type { Listed, ListedToken, ListedTokenFilter, PageAsked } from '../../ports/lists.ts'
import { readTokens } from '../../queries/lists/tokens.ts'
import { conditionsOf, contains, equals } from './conditions.ts'
import { readPage } from './page.ts'
import type { Reader } from './reader.ts'
import { type Condition, endOfIds, type IdIndex, type Search } from './search.ts'
import { idsOf, readSteps } from './steps.ts'

/** Live tokens of a filter, newest first, with what was spent with them. */
export function listTokens(
  { reader, clock }: { reader: Reader; clock: Clock },
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
  return readPage(reader, where, page, (keys) =>
    readSteps(reader, readTokens(idsOf(keys), utcDay(clock()))),
  )
}

const ofAccount = (accountId: number): IdIndex => ({
  name: 'token_account',
  where: { sql: 'account_id = ? AND deleted_at IS NULL', values: [accountId] },
})

const ofGroup = (name: string): Condition => ({
  sql: 'group_id IN (SELECT id FROM "group" WHERE name = ? AND deleted_at IS NULL)',
  values: [name],
})
