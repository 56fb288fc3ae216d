import { sql } from 'kysely'
import { type AccountColumns, accountFields } from '../../resources/account.ts'
import { columnsOf, fromColumns } from '../../resources/resource.ts'
import type {
  AccountView,
  AdminCounts,
  Overdrawn,
  OverdrawnAccount,
  OverdrawnFilter,
  StoredAccount,
} from '../ports/admin.ts'
import type { Condition } from './lists/search.ts'
import { passwordProvider } from './sign-in/passwords.ts'
import { all, build, first, type Steps } from './steps.ts'

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

/** As `overdrawnNano` has it, of the columns of an account. */
export const isOverdrawn: Condition = sql`balance_nano + credit_limit_nano < 0`

/** The entry that took a balance there is looked for so far back: since then nobody has paid. */
const mostEntries = sql.lit(1_000)

interface Found extends OverdrawnAccount {
  readonly count: number
}

const selectOverdrawn = ({ accountId, atMost }: OverdrawnFilter) => sql<Found>`
SELECT owing.*, (
  SELECT request_id FROM (
    SELECT id, request_id, balance_after_nano AS after_nano, amount_nano FROM ledger
    WHERE account_id = owing.id ORDER BY id DESC LIMIT ${mostEntries}
  ) AS newest
  WHERE after_nano < -owing."creditLimitNano" AND after_nano - amount_nano >= -owing."creditLimitNano"
  ORDER BY id DESC LIMIT 1
) AS "requestId"
FROM (
  SELECT id, email, balance_nano AS "balanceNano", credit_limit_nano AS "creditLimitNano",
    count(*) OVER () AS count
  FROM account WHERE deleted_at IS NULL AND ${isOverdrawn}
    ${accountId === undefined ? sql`` : sql`AND id = ${accountId}`}
  ORDER BY balance_nano + credit_limit_nano, id LIMIT ${sql.lit(atMost)}
) AS owing ORDER BY owing."balanceNano" + owing."creditLimitNano", owing.id`

/** Live accounts that owe more than their credit limits allow. */
export function* readOverdrawn(filter: OverdrawnFilter): Steps<Overdrawn> {
  const found = yield* all(selectOverdrawn(filter))
  return {
    count: found[0]?.count ?? 0,
    accounts: found.map(({ count: _, ...account }) => account),
  }
}
