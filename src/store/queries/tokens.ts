import type { TokenFilter, TokenView } from '../ports/admin.ts'
import type { Limits } from '../ports/catalog.ts'
import type { Spent, TokenSpending } from '../ports/records.ts'
import type { TokenBudget, TokenHash, TokenRecord, TokenStore } from '../ports/tokens.ts'
import { parseList, parseRegions } from './columns.ts'
import { all, build, type Engine, type Steps } from './steps.ts'

/** Rows of a page of tokens when the caller names no limit. */
const defaultLimit = 1000

/** Live tokens. */
export const selectTokens = () =>
  build
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .innerJoin('group', 'group.id', 'token.group_id')
    .select([
      'token.id as id',
      'account.email as account',
      'token.name as name',
      'token.key_hash as keyHash',
      'token.key_sealed as keySealed',
      'token.key_hint as keyHint',
      'group.name as group',
      'token.status as status',
      'token.models as models',
      'token.ip_allow as ipAllow',
      'token.strict as strict',
      'token.expires_at as expiresAt',
      'token.budget_total_nano as totalNano',
      'token.budget_day_nano as dayNano',
      'token.budget_month_nano as monthNano',
      'token.rpm as rpm',
      'token.tpm as tpm',
      'token.concurrency as concurrency',
      'token.created_at as createdAt',
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

/** What a token's row has in columns of its own kind. */
interface TokenColumns extends TokenBudget, Limits {
  readonly models: string
  readonly ipAllow: string
  readonly strict: number
}

/** A token's row as the ports know it. */
export function readToken<Row extends TokenColumns>(found: Row) {
  const { totalNano, dayNano, monthNano, strict, ...more } = found
  const { rpm, tpm, concurrency, ...row } = more
  return {
    ...row,
    budget: { totalNano, dayNano, monthNano },
    limits: { rpm, tpm, concurrency },
    models: parseList(row.models),
    ipAllow: parseList(row.ipAllow),
    isStrict: strict === 1,
  }
}

/** What a look-up selects of a token and its account; the names are those of `FoundToken`. */
export const foundTokenColumns = `token.id, token.name, token.group_id AS "groupId", token.status,
  token.deleted_at AS "deletedAt", token.expires_at AS "expiresAt", token.models,
  token.ip_allow AS "ipAllow", token.strict, token.budget_total_nano AS "totalNano",
  token.budget_day_nano AS "dayNano", token.budget_month_nano AS "monthNano",
  account.id AS "accountId", account.email,
  account.email_verified AS "emailVerified", account.status AS "accountStatus",
  account.deleted_at AS "accountDeletedAt", account.balance_nano AS "balanceNano",
  account.credit_limit_nano AS "creditLimitNano", account.balance_low_nano AS "balanceLowNano",
  token.rpm, token.tpm, token.concurrency, account.rpm AS "accountRpm",
  account.tpm AS "accountTpm", account.concurrency AS "accountConcurrency",
  account.regions AS "accountRegions"`

export interface FoundToken
  extends Omit<
      TokenRecord,
      'models' | 'ipAllow' | 'isStrict' | 'budget' | 'limits' | 'spent' | 'account'
    >,
    TokenBudget,
    Limits {
  readonly models: string
  readonly ipAllow: string
  readonly strict: number
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
  const { accountId, email, emailVerified, accountStatus, accountDeletedAt, ...more } = row
  const { balanceNano, creditLimitNano, balanceLowNano, ...other } = more
  const { totalNano, dayNano, monthNano, strict, ...named } = other
  const { accountRpm, accountTpm, accountConcurrency, accountRegions, ...limited } = named
  const { rpm, tpm, concurrency, ...token } = limited
  const budget = { totalNano, dayNano, monthNano }
  const isLimited = Object.values(budget).some((limit) => limit !== null)
  return {
    ...token,
    budget,
    limits: { rpm, tpm, concurrency },
    spent: isLimited ? spentOf(token.id) : null,
    models: parseList(row.models),
    ipAllow: parseList(row.ipAllow),
    isStrict: strict === 1,
    account: {
      id: accountId,
      email,
      isVouched: emailVerified === 1,
      status: accountStatus,
      deletedAt: accountDeletedAt,
      balanceNano,
      creditLimitNano,
      balanceLowNano,
      limits: { rpm: accountRpm, tpm: accountTpm, concurrency: accountConcurrency },
      regions: parseRegions(accountRegions),
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
