import type { ListedToken } from '../../ports/lists.ts'
import { readToken, selectTokens } from '../admin.ts'
import { all, type Steps } from '../steps.ts'
import { readUsed, unused } from '../token-usage.ts'

/** The live tokens with these ids, newest first, with what was spent with them by a UTC day. */
export function* readTokens(ids: readonly number[], day: string): Steps<readonly ListedToken[]> {
  const rows = yield* all(
    selectTokens()
      .select('token.account_id as accountId')
      .where('token.id', 'in', ids)
      .orderBy('token.id', 'desc'),
  )
  const used = yield* readUsed(ids, day)
  return rows.map(readToken).map(({ keyHash: _, keySealed: __, ...token }) => ({
    ...token,
    ...(used.get(token.id) ?? unused(day)),
  }))
}
