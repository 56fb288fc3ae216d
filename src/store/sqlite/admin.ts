import type { AccountView, TokenFilter, TokenView } from '../ports/admin.ts'
import type { Limits } from '../ports/catalog.ts'
import type { LedgerEntry } from '../ports/records.ts'
import { parseList } from './json.ts'
import { findAccountId } from './names.ts'
import type { Queries } from './queries.ts'
import { selectLedger } from './records.ts'

/** Rows of a page of tokens when the caller names no limit. */
const defaultLimit = 1000

const selectAccounts = ({ build }: Queries) =>
  build
    .selectFrom('account')
    .select((eb) => [
      'account.id as id',
      'account.email as email',
      'account.role as role',
      'account.status as status',
      'account.balance_nano as balanceNano',
      'account.reserved_nano as reservedNano',
      'account.credit_limit_nano as creditLimitNano',
      'account.balance_low_nano as balanceLowNano',
      'account.rpm as rpm',
      'account.tpm as tpm',
      'account.concurrency as concurrency',
      'account.password_mark as passwordMark',
      'account.created_at as createdAt',
      eb
        .selectFrom('token')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('token.account_id', '=', 'account.id')
        .where('token.deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('tokenCount'),
    ])
    .where('account.deleted_at', 'is', null)

/** All live accounts, oldest first. */
export function listAccounts(queries: Queries): AccountView[] {
  return queries.all(selectAccounts(queries).orderBy('account.id')).map(readAccount)
}

export function findAccount(queries: Queries, email: string): AccountView | undefined {
  const row = queries.first(selectAccounts(queries).where('account.email', '=', email))
  return row && readAccount(row)
}

function readAccount({
  rpm,
  tpm,
  concurrency,
  ...row
}: Omit<AccountView, 'limits'> & Limits): AccountView {
  return { ...row, limits: { rpm, tpm, concurrency } }
}

/** The newest ledger entries of a live account, newest last. Reads no others. */
export function listLedger(queries: Queries, account: string, limit: number): LedgerEntry[] {
  const id = findAccountId(queries, account)
  if (id === undefined) return []
  return queries
    .all(
      selectLedger(queries)
        .where('ledger.account_id', '=', id)
        .orderBy('ledger.id', 'desc')
        .limit(limit),
    )
    .reverse()
}

/** Live tokens that fit the filter, newest last. */
export function listTokens(queries: Queries, filter: TokenFilter): TokenView[] {
  let query = queries.build
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
    .where('token.id', '>', filter.afterId ?? 0)
    .orderBy('token.id')
    .limit(filter.limit ?? defaultLimit)
  const { account, group, id, keyHash } = filter
  // A live token's account and group are live too: a name of theirs means the live row.
  if (account !== undefined) {
    query = query.where('account.email', '=', account).where('account.deleted_at', 'is', null)
  }
  if (group !== undefined) {
    query = query.where('group.name', '=', group).where('group.deleted_at', 'is', null)
  }
  if (id !== undefined) query = query.where('token.id', '=', id)
  if (keyHash !== undefined) query = query.where('token.key_hash', '=', keyHash)
  return queries.all(query).map(({ totalNano, dayNano, monthNano, strict, ...more }) => {
    const { rpm, tpm, concurrency, ...row } = more
    return {
      ...row,
      budget: { totalNano, dayNano, monthNano },
      limits: { rpm, tpm, concurrency },
      models: parseList(row.models),
      ipAllow: parseList(row.ipAllow),
      isStrict: strict === 1,
    }
  })
}
