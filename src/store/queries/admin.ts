import { sql } from 'kysely'
import { type AccountColumns, accountFields } from '../../resources/account.ts'
import { columnsOf, fromColumns } from '../../resources/resource.ts'
import { type TokenColumns, type TokenSettings, tokenFields } from '../../resources/token.ts'
import type {
  AccountView,
  AdminCounts,
  StoredAccount,
  TokenFilter,
  TokenView,
} from '../ports/admin.ts'
import type { LedgerEntry } from '../ports/records.ts'
import { build } from './build.ts'
import { findAccountId } from './names.ts'
import { selectLedger } from './records.ts'
import { passwordProvider } from './sign-in/passwords.ts'
import { all, first, type Steps } from './steps.ts'

/** Rows of a page of tokens when the caller names no limit. */
const defaultLimit = 1000

/** Columns of an account that its definition names, for a query. */
const ofAccount = columnsOf(accountFields).map((column) => `account.${column}` as const)

/** Live accounts. */
export const selectAccounts = () =>
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
      'account.email_verified as emailVerified',
      'account.balance_nano as balanceNano',
      'account.reserved_nano as reservedNano',
      'credential.password_mark as passwordMark',
      'account.created_at as createdAt',
      ...ofAccount,
    ])
    .where('account.deleted_at', 'is', null)

/** Live accounts with the number of their tokens. */
export const selectWithTokenCount = () =>
  selectAccounts().select((eb) =>
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
export function* listAccounts(): Steps<AccountView[]> {
  const rows = yield* all(selectWithTokenCount().orderBy('account.id'))
  return rows.map(readCounted)
}

/** The accounts of so many e-mails go into one statement: it holds some ten thousand parameters. */
const emailsPerQuery = 500

/** Those of the live accounts that have these e-mails, oldest first. */
export const findAccounts = (emails: readonly string[]) =>
  findBy(emails, (part) => selectAccounts().where('account.email', 'in', part))

/** The same, without regard to case. */
export const findAccountsAt = (addresses: readonly string[]) =>
  findBy(addresses, (part) =>
    selectAccounts().where(
      sql<string>`lower(account.email)`,
      'in',
      part.map((email) => email.toLowerCase()),
    ),
  )

function* findBy(
  emails: readonly string[],
  select: (part: readonly string[]) => ReturnType<typeof selectAccounts>,
): Steps<StoredAccount[]> {
  const found: StoredAccount[] = []
  for (let from = 0; from < emails.length; from += emailsPerQuery) {
    const part = emails.slice(from, from + emailsPerQuery)
    const rows = yield* all(select(part))
    found.push(...rows.map(readAccount))
  }
  return found.sort((a, b) => a.id - b.id)
}

/** Counts through an index that leaves out what is deleted, and no further than asked for. */
export function* countAccountsAndTokens(atMost: number): Steps<AdminCounts> {
  return {
    accounts: yield* countLive('account', atMost),
    tokens: yield* countLive('token', atMost),
  }
}

function* countLive(table: 'account' | 'token', atMost: number): Steps<number> {
  const rows = build
    .selectFrom(table)
    .select(sql`1`.as('one'))
    .where('deleted_at', 'is', null)
    .limit(atMost)
  const counted = yield* first(
    build.selectFrom(rows.as('row')).select((eb) => eb.fn.countAll<number>().as('count')),
  )
  return counted?.count ?? 0
}

export function* findAccount(email: string): Steps<AccountView | undefined> {
  const row = yield* first(selectWithTokenCount().where('account.email', '=', email))
  return row && readCounted(row)
}

interface AccountRow extends AccountColumns {
  readonly id: number
  readonly email: string
  readonly emailVerified: number
  readonly balanceNano: number
  readonly reservedNano: number
  readonly passwordMark: string | null
  readonly createdAt: number
}

/** A row of such a query as the ports know it. */
export function readAccount(row: AccountRow): StoredAccount {
  const { id, email, emailVerified, balanceNano, reservedNano, passwordMark, createdAt } = row
  return {
    ...{ id, email, isVouched: emailVerified === 1, balanceNano, reservedNano },
    ...{ passwordMark, createdAt, ...fromColumns(accountFields, row) },
  }
}

export const readCounted = (row: AccountRow & Pick<AccountView, 'tokenCount'>): AccountView => ({
  ...readAccount(row),
  tokenCount: row.tokenCount,
})

/** The newest ledger entries of a live account, newest last. Reads no others. */
export function* listLedger(account: string, limit: number): Steps<LedgerEntry[]> {
  const id = yield* findAccountId(account)
  if (id === undefined) return []
  const newest = yield* all(
    selectLedger().where('ledger.account_id', '=', id).orderBy('ledger.id', 'desc').limit(limit),
  )
  return newest.toReversed()
}

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

/** A row of such a query as the ports know it. */
export function readToken(row: TokenRow): TokenView {
  const { id, account, keyHash, keySealed, keyHint, group, createdAt } = row
  return {
    ...{ id, account, keyHash, keySealed, keyHint, group, createdAt },
    ...fromColumns(tokenFields, row),
  }
}

interface TokenRow extends TokenColumns, Omit<TokenView, keyof TokenSettings> {
  readonly group: string
}
