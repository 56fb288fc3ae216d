import { sql } from 'kysely'
import type {
  AccountView,
  AdminCounts,
  StoredAccount,
  TokenFilter,
  TokenView,
} from '../ports/admin.ts'
import type { Limits } from '../ports/catalog.ts'
import type { LedgerEntry } from '../ports/records.ts'
import type { TokenBudget } from '../ports/tokens.ts'
import { parseList } from './json.ts'
import { findAccountId } from './names.ts'
import type { Queries } from './queries.ts'
import { selectLedger } from './records.ts'
import { passwordProvider } from './sign-in/passwords.ts'

/** Rows of a page of tokens when the caller names no limit. */
const defaultLimit = 1000

/** Live accounts. */
export const selectAccounts = ({ build }: Queries) =>
  build
    .selectFrom('account')
    .leftJoin('credential', (join) =>
      join
        .onRef('credential.account_id', '=', 'account.id')
        .on('credential.provider', '=', passwordProvider),
    )
    .select([
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
      'credential.password_mark as passwordMark',
      'account.created_at as createdAt',
    ])
    .where('account.deleted_at', 'is', null)

/** Live accounts with the number of their tokens. */
export const selectWithTokenCount = (queries: Queries) =>
  selectAccounts(queries).select((eb) =>
    eb
      .selectFrom('token')
      .select((count) => count.fn.countAll<number>().as('count'))
      .whereRef('token.account_id', '=', 'account.id')
      .where('token.deleted_at', 'is', null)
      .$asScalar()
      .$notNull()
      .as('tokenCount'),
  )

/** All live accounts, oldest first. */
export function listAccounts(queries: Queries): AccountView[] {
  return queries.all(selectWithTokenCount(queries).orderBy('account.id')).map(readAccount)
}

/** The accounts of so many e-mails go into one statement: it holds some ten thousand parameters. */
const emailsPerQuery = 500

/** Those of the live accounts that have these e-mails, oldest first. */
export function findAccounts(queries: Queries, emails: readonly string[]): StoredAccount[] {
  const found: StoredAccount[] = []
  for (let from = 0; from < emails.length; from += emailsPerQuery) {
    const part = emails.slice(from, from + emailsPerQuery)
    const rows = queries.all(selectAccounts(queries).where('account.email', 'in', part))
    found.push(...rows.map(readAccount))
  }
  return found.sort((a, b) => a.id - b.id)
}

/** Counts through an index that leaves out what is deleted, and no further than asked for. */
export function countAccountsAndTokens({ build, all }: Queries, atMost: number): AdminCounts {
  const [accounts, tokens] = (['account', 'token'] as const).map((table) => {
    const rows = build
      .selectFrom(table)
      .select(sql`1`.as('one'))
      .where('deleted_at', 'is', null)
      .limit(atMost)
    const count = build
      .selectFrom(rows.as('row'))
      .select((eb) => eb.fn.countAll<number>().as('count'))
    return all(count)[0]?.count ?? 0
  })
  return { accounts: accounts ?? 0, tokens: tokens ?? 0 }
}

export function findAccount(queries: Queries, email: string): AccountView | undefined {
  const row = queries.first(selectWithTokenCount(queries).where('account.email', '=', email))
  return row && readAccount(row)
}

/** A row of such a query as the ports know it. */
export function readAccount<Row extends Limits>({ rpm, tpm, concurrency, ...row }: Row) {
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

/** Live tokens. */
export const selectTokens = ({ build }: Queries) =>
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
export function listTokens(queries: Queries, filter: TokenFilter): TokenView[] {
  let query = selectTokens(queries)
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
  return queries.all(query).map(readToken)
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
