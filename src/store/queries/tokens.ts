import { columnsOf, fromColumns } from '../../resources/resource.ts'
import { type TokenColumns, type TokenSettings, tokenFields } from '../../resources/token.ts'
import type { TokenFilter, TokenView } from '../ports/admin.ts'
import type { Spent, TokenSpending } from '../ports/records.ts'
import type { TokenHash, TokenRecord, TokenStore } from '../ports/tokens.ts'
import { parseRegions } from './columns.ts'
import { all, build, type Engine, type Steps } from './steps.ts'

/** Rows of a page of tokens when the caller names no limit. */
const defaultLimit = 1000

/** Columns of a token that its definition names, for a query. */
const ofToken = columnsOf(tokenFields).map((column) => `token.${column}` as const)

/** Live tokens. */
export const selectTokens = () =>
  build
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .innerJoin('group', 'group.id', 'token.group_id')
    .select([
      'token.id as id',
      'account.email as account',
      'token.key_hash as keyHash',
      'token.key_sealed as keySealed',
      'token.key_hint as keyHint',
      'group.name as group',
      'token.created_at as createdAt',
      ...ofToken,
    ])
    .where('token.deleted_at', 'is', null)

/** Live tokens that fit the filter, newest last. */
export function* listTokens(filter: TokenFilter): Steps<TokenView[]> {
  let query = selectTokens()
    .orderBy('token.id')
    .limit(filter.limit ?? defaultLimit)
  const { account, group, id, keyHashes, name, afterId } = filter
  // A live token's account and group are live too: a name of theirs means the live row.
  if (account !== undefined) {
    query = query.where('account.email', '=', account).where('account.deleted_at', 'is', null)
  }
  if (group !== undefined) {
    query = query.where('group.name', '=', group).where('group.deleted_at', 'is', null)
  }
  if (id !== undefined) query = query.where('token.id', '=', id)
  if (keyHashes !== undefined) query = query.where('token.key_hash', 'in', keyHashes)
  if (name !== undefined) query = query.where('token.name', '=', name)
  if (afterId !== undefined) query = query.where('token.id', '>', afterId)
  return (yield* all(query)).map(readToken)
}

interface TokenRow extends TokenColumns, Omit<TokenView, keyof TokenSettings> {
  readonly group: string
}

/** A row of such a query as the ports know it. */
export function readToken(row: TokenRow): TokenView {
  const { id, account, keyHash, keySealed, keyHint, group, createdAt } = row
  return {
    ...{ id, account, keyHash, keySealed, keyHint, group, createdAt },
    ...fromColumns(tokenFields, row),
  }
}

/** What a look-up selects of a token and its account; the names are those of `FoundToken`. */
export const foundTokenColumns = `token.id, token.group_id AS "groupId",
  token.deleted_at AS "deletedAt", ${ofToken.join(', ')},
  account.id AS "accountId", account.email,
  account.email_verified AS "emailVerified", account.status AS "accountStatus",
  account.deleted_at AS "accountDeletedAt", account.balance_nano AS "balanceNano",
  account.credit_limit_nano AS "creditLimitNano", account.balance_low_nano AS "balanceLowNano",
  account.rpm AS "accountRpm",
  account.tpm AS "accountTpm", account.concurrency AS "accountConcurrency",
  account.regions AS "accountRegions"`

export interface FoundToken extends TokenColumns {
  readonly id: number
  readonly groupId: number
  readonly deletedAt: number | null
  readonly accountId: number
  readonly email: string
  readonly emailVerified: number
  readonly accountStatus: 'active' | 'disabled'
  readonly accountDeletedAt: number | null
  readonly balanceNano: number
  readonly creditLimitNano: number
  readonly balanceLowNano: number | null
  readonly accountRpm: number | null
  readonly accountTpm: number | null
  readonly accountConcurrency: number | null
  readonly accountRegions: string | null
}

/** A row as the port gives it; `spentOf` is asked for a token with a budget only. */
export function toTokenRecord(row: FoundToken, spentOf: (tokenId: number) => Spent): TokenRecord {
  const { id, groupId, deletedAt } = row
  const settings = fromColumns(tokenFields, row)
  const isLimited = Object.values(settings.budget).some((limit) => limit !== null)
  return {
    ...{ id, groupId, deletedAt },
    ...settings,
    spent: isLimited ? spentOf(id) : null,
    account: {
      id: row.accountId,
      email: row.email,
      isVouched: row.emailVerified === 1,
      status: row.accountStatus,
      deletedAt: row.accountDeletedAt,
      balanceNano: row.balanceNano,
      creditLimitNano: row.creditLimitNano,
      balanceLowNano: row.balanceLowNano,
      limits: { rpm: row.accountRpm, tpm: row.accountTpm, concurrency: row.accountConcurrency },
      regions: parseRegions(row.accountRegions),
    },
  }
}

/** What was done with a token, by its daily sums. */
interface TokenUsed {
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

/** Reads which keys there are, page by page. */
export const createTokenHashes = ({ read }: Engine): Pick<TokenStore, 'hashesAfter'> => ({
  hashesAfter: (id, limit) => read(() => selectHashes(id, limit)),
})

function* selectHashes(id: number, limit: number): Steps<readonly TokenHash[]> {
  const tokens = build.selectFrom('token').select(['id', 'key_hash as keyHash'])
  return yield* all(tokens.where('id', '>', id).orderBy('id').limit(limit))
}
