import {
  type AccountColumns,
  type AccountSettings,
  accountFields,
} from '../../resources/account.ts'
import { columnsOf, fromColumns } from '../../resources/resource.ts'
import type {
  AccountView,
  Overdrawn,
  OverdrawnAccount,
  OverdrawnFilter,
  StoredAccount,
} from '../ports/admin.ts'
import { selected } from '../schema/columns.ts'
import { type Sql, sql } from '../schema/sql.ts'
import type { Condition } from './lists/search.ts'
import { countRows } from './names.ts'
import { passwordProvider } from './sign-in/passwords.ts'
import { all, first, inParts, type Steps } from './steps.ts'

const fields = ['id', 'email', 'emailVerified', 'balanceNano', 'reservedNano', 'createdAt']
const columns = sql.raw(
  columnsOf(accountFields)
    .map((column) => `account.${column}`)
    .join(', '),
)

/** Live accounts, in order of their ids; `where` begins with AND. */
const selectAccounts = (where: Sql, more = sql``, order = 'asc') => sql<AccountRow>`
  SELECT ${selected('account', fields)}, credential.password_mark AS "passwordMark", ${columns}${more}
  FROM account LEFT JOIN credential ON credential.account_id = account.id
    AND credential.provider = ${sql.lit(passwordProvider)}
  WHERE account.deleted_at IS NULL ${where} ORDER BY account.id ${sql.raw(order)}`

const tokenCount = sql`, (SELECT count(*) FROM token
  WHERE token.account_id = account.id AND token.deleted_at IS NULL) AS "tokenCount"`

/** Live accounts with the number of their tokens. */
export function* readCounted(where = sql``, order?: 'desc'): Steps<AccountView[]> {
  const rows = yield* all(selectAccounts(where, tokenCount, order))
  return rows.map((row) => ({ ...toAccount(row), tokenCount: row.tokenCount ?? 0 }))
}

/** Those of the live accounts that have these e-mails, oldest first. */
export const findAccounts = (emails: readonly string[]): Steps<StoredAccount[]> =>
  findBy(sql`account.email`, emails)

/** The same, without regard to case. */
export const findAccountsAt = (addresses: readonly string[]): Steps<StoredAccount[]> =>
  findBy(
    sql`lower(account.email)`,
    addresses.map((email) => email.toLowerCase()),
  )

function* findBy(column: Sql, emails: readonly string[]): Steps<StoredAccount[]> {
  const rows = yield* inParts(emails, (part) => selectAccounts(sql`AND ${column} IN (${part})`))
  return rows.map(toAccount).sort((a, b) => a.id - b.id)
}

/** Counts by an index of live rows, to `atMost`. */
export function* countAccountsAndTokens(
  atMost: number,
): Steps<{ accounts: number; tokens: number }> {
  return {
    accounts: yield* countRows(sql`account WHERE deleted_at IS NULL`, atMost),
    tokens: yield* countRows(sql`token WHERE deleted_at IS NULL`, atMost),
  }
}

export function* findAccount(email: string): Steps<AccountView | undefined> {
  return (yield* readCounted(sql`AND account.email = ${email}`))[0]
}

/** The live account with this id, as its row and as the ports know it. */
export function* findAccountRow(id: number) {
  const row = yield* first(selectAccounts(sql`AND account.id = ${id}`))
  return row && { row, account: toAccount(row) }
}

type AccountRow = Omit<StoredAccount, keyof AccountSettings | 'isVouched'> &
  AccountColumns & { readonly emailVerified: number; readonly tokenCount?: number }

function toAccount(row: AccountRow): StoredAccount {
  const { id, email, emailVerified, balanceNano, reservedNano, passwordMark, createdAt } = row
  return {
    ...{ id, email, isVouched: emailVerified === 1, balanceNano, reservedNano },
    ...{ passwordMark, createdAt, ...fromColumns(accountFields, row) },
  }
}

export const isOverdrawn: Condition = sql`balance_nano + credit_limit_nano < 0`

/** How many entries are searched for the one that overdrew the account. */
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
