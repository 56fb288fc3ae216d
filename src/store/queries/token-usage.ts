import type { Spent, TokenSpending } from '../ports/records.ts'
import { build } from './build.ts'
import { all, type Steps } from './steps.ts'

/** What was done with a token, by its daily sums. */
export interface TokenUsed {
  readonly spent: Spent
  /** Null: it was never used. */
  readonly lastUsedDay: string | null
}

/** The sums of so many tokens are read by one statement. */
const tokensPerQuery = 500

/**
 * What tokens were charged in all, on a UTC day and in that day's month, by the daily sums that
 * `verify` holds to the ledger; those that were used at all. A clock that was set back takes nothing
 * out of the whole.
 */
export function* readUsed(
  tokenIds: readonly number[],
  day: string,
): Steps<ReadonlyMap<number, TokenUsed>> {
  const used = new Map<number, TokenUsed>()
  for (let from = 0; from < tokenIds.length; from += tokensPerQuery) {
    const rows = yield* all(selectUsed(tokenIds.slice(from, from + tokensPerQuery), day))
    for (const { id, lastUsedDay, ...spent } of rows) {
      used.set(id, { lastUsedDay, spent: { ...spent, day } })
    }
  }
  return used
}

const selectUsed = (tokenIds: readonly number[], day: string) =>
  build
    .selectFrom('usage_day')
    .select(({ fn, val }) => [
      'token_id as id',
      fn.max('day').as('lastUsedDay'),
      fn.sum<number>('amount_nano').as('totalNano'),
      fn.coalesce(fn.sum<number>('amount_nano').filterWhere('day', '=', day), val(0)).as('dayNano'),
      fn
        .coalesce(
          fn
            .sum<number>('amount_nano')
            .filterWhere(
              ({ fn, val }) => fn('substr', ['day', val(1), val(7)]),
              '=',
              day.slice(0, 7),
            ),
          val(0),
        )
        .as('monthNano'),
    ])
    .where('token_id', 'in', tokenIds)
    .groupBy('token_id')

/** The same of a token that was never used. */
export const unused = (day: string): TokenUsed => ({
  spent: { totalNano: 0, dayNano: 0, monthNano: 0, day },
  lastUsedDay: null,
})

/** What was spent with each of these tokens. */
export function* spentWith(tokenIds: readonly number[], day: string): Steps<TokenSpending[]> {
  const used = yield* readUsed(tokenIds, day)
  return tokenIds.map((tokenId) => ({ tokenId, spent: (used.get(tokenId) ?? unused(day)).spent }))
}
