import { type AccountColumns, accountFields } from '../../resources/account.ts'
import { auditedFields, columnsOf, initialValues, toColumns } from '../../resources/resource.ts'
import type { AccountFields } from '../ports/admin.ts'
import { type AccountChange, type AccountWrite, WriteRefused } from '../ports/admin.ts'
import {
  type EditableAccount,
  InUse,
  mostTokensCounted,
  NameTaken,
  NotThere,
} from '../ports/edits.ts'
import { sql } from '../schema/sql.ts'
import { findAccountRow } from './accounts.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  note,
  revisionOf,
} from './changes.ts'
import { countRows, countTokens, findByAddress, findNamed, requireNamed } from './names.ts'
import { putPassword, removeSignIn, resetPassword } from './sign-in/passwords.ts'
import { endSessionsOf } from './sign-in/sessions.ts'
import { first, insert, run, type Steps, update } from './steps.ts'

function* openAccount(account: AccountWrite, now: number): Steps<number> {
  const { email, openingNano, password } = account
  if (!Number.isSafeInteger(openingNano)) {
    throw new WriteRefused(
      `account "${email}": an opening balance of ${openingNano} nano-USD is not a whole number ` +
        'between -2^53 and 2^53',
    )
  }
  const row = {
    ...{ email, balance_nano: openingNano, created_at: now },
    ...(toColumns(accountFields, {
      ...initialValues(accountFields),
      ...account,
    }) as AccountColumns),
  }
  const id = yield* insert('account', row)
  if (password) yield* putPassword(id, password, now)
  if (openingNano === 0) return id
  const entry = {
    created_at: now,
    account_id: id,
    kind: 'opening' as const,
    amount_nano: openingNano,
    balance_after_nano: openingNano,
  }
  yield* insert('ledger', entry)
  return id
}

function* requireFreeAddress(email: string): Steps<void> {
  const taken = yield* findByAddress(email)
  if (taken === undefined) return
  throw new WriteRefused(
    `account "${email}": there is an account "${taken.email}" already, and capital letters make no ` +
      'other address; write it as that one is written',
  )
}

/** Refuses to give rights to an account that registered itself since the plan was made. */
function* requireVouched(id: number, account: AccountWrite): Steps<void> {
  const row = yield* first(
    sql<{ email_verified: number; role: string; credit_limit_nano: number }>`
      SELECT email_verified, role, credit_limit_nano FROM account WHERE id = ${id}`,
  )
  if (row === undefined || row.email_verified === 1) return
  const { email, role, password, creditLimitNano = row.credit_limit_nano } = account
  if (role === row.role && !password && creditLimitNano <= row.credit_limit_nano) return
  throw new WriteRefused(
    `account "${email}" registered itself, and its address is not vouched for ` +
      `(tollgate account set ${email} --vouch)`,
  )
}

/** Creates an account with its opening balance, or updates all of it but the balance; gives its id. */
export function* writeAccount(account: AccountWrite, now: number): Steps<number> {
  const id = yield* findNamed('account', account.email)
  if (id === undefined) {
    yield* requireFreeAddress(account.email)
    return yield* openAccount(account, now)
  }
  yield* requireVouched(id, account)
  const { status, password } = account
  const columns = toColumns(accountFields, account)
  yield* update('account', id, columns)
  if (password) yield* resetPassword(id, password, now)
  if (status !== 'active') yield* endSessionsOf(id)
  return id
}

const editable = [...columnsOf(accountFields), 'emailVerified'] as const

/** A live account in its editable form. */
export function* readEditableAccount(id: number): Steps<EditableAccount | undefined> {
  const found = yield* findAccountRow(id)
  if (found === undefined) return undefined
  const tokenCount = yield* countTokens('account_id', id, mostTokensCounted)
  return { ...found.account, tokenCount, revision: revisionOf(found.row, editable) }
}

function* requireEditable(id: number): Steps<EditableAccount> {
  const found = yield* readEditableAccount(id)
  if (found) return found
  throw new NotThere(`there is no account ${id}; it may be removed`)
}

export function* addAccount(change: Change, account: AccountWrite): Steps<number> {
  const { now } = change
  const { email, role, status, openingNano, password } = account
  const taken = yield* findByAddress(email)
  if (taken) {
    throw new NameTaken(`there is an account "${taken.email}" already; choose another e-mail`)
  }
  const id = yield* writeAccount(account, now)
  const detail = { role, status, opening_nano: openingNano, ...(password && { password: 'set' }) }
  yield* note(change, 'account.create', email, detail)
  return id
}

export function* setAccount(change: Change, id: number, fields: AccountFields): Steps<void> {
  const { edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  if (!(yield* writeFields(change, before, fields))) return
  const { role, status } = fields
  if (role !== undefined || status !== undefined) yield* requireAdministrator(before)
  if (status === 'disabled') yield* endSessionsOf(id)
}

/** The same for the command line, which may demote the last administrator. */
export function* changeAccount(
  { account, actor, ...fields }: AccountChange,
  now: number,
): Steps<void> {
  const id = yield* requireNamed('account', account, `change of account "${account}"`)
  yield* writeFields({ now, edit: { actor } }, yield* requireEditable(id), fields)
}

/** Writes what differs, and notes it; false where nothing does. */
function* writeFields(
  change: Change,
  before: EditableAccount,
  { isVouched, ...fields }: AccountFields,
): Steps<boolean> {
  // An administrator's address counts as vouched for.
  const vouched = fields.role === 'admin' || isVouched ? { email_verified: 1 } : {}
  const columns = { ...toColumns(accountFields, fields), ...vouched }
  const present = { ...toColumns(accountFields, before), email_verified: before.isVouched ? 1 : 0 }
  const differing = differingColumns(present, columns)
  if (Object.keys(differing).length === 0) return false
  yield* update('account', before.id, differing)
  const [was, is] = [audited(before), audited(yield* requireEditable(before.id))]
  yield* note(change, 'account.set', before.email, differences(was, differingColumns(was, is)))
  return true
}

const audited = (account: EditableAccount) => ({
  ...auditedFields(accountFields, account),
  email_verified: account.isVouched,
})

/** Called after the change: throws, and so rolls back, when no active administrator is left. */
function* requireAdministrator(before: EditableAccount): Steps<void> {
  if (before.role !== 'admin' || before.status !== 'active') return
  const administrators = sql`account
    WHERE role = 'admin' AND status = 'active' AND deleted_at IS NULL`
  if ((yield* countRows(administrators, 1)) > 0) return
  throw new InUse(
    `"${before.email}" is the last administrator; make another account an administrator first`,
  )
}

export function* removeAccount(change: Change, id: number): Steps<void> {
  const { now, edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  yield* markAccountRemoved(before.email, now)
  yield* requireAdministrator(before)
  const detail = { balance_nano: before.balanceNano, tokens: before.tokenCount }
  yield* note(change, 'account.remove', before.email, detail)
}

/** Marks an account and its tokens as deleted, and deletes its credentials and responses. */
export function* markAccountRemoved(email: string, now: number): Steps<void> {
  const id = yield* requireNamed('account', email, 'remove account')
  yield* run(
    sql`UPDATE token SET deleted_at = ${now} WHERE account_id = ${id} AND deleted_at IS NULL`,
  )
  yield* run(sql`UPDATE account SET deleted_at = ${now} WHERE id = ${id}`)
  yield* removeSignIn(id)
  yield* run(sql`DELETE FROM response WHERE account_id = ${id}`)
}
