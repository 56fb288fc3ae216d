import { accountFields } from '../../../resources/account.ts'
import { auditedFields, columnsOf, toColumns } from '../../../resources/resource.ts'
import type { AccountEdits, AccountFields, EditableAccount } from '../../ports/account-edits.ts'
import type { AccountChange, AccountWrite } from '../../ports/admin.ts'
import { InUse, mostTokensCounted, NameTaken, NotThere } from '../../ports/edits.ts'
import { readAccount, selectAccounts } from '../admin.ts'
import { build } from '../build.ts'
import { findAccountId, findByAddress, requireAccount } from '../names.ts'
import { endSessionsOf } from '../sign-in/passwords.ts'
import { first, run, type Steps } from '../steps.ts'
import { writeAccount } from '../write-accounts.ts'
import { removeAccount as markAccountRemoved } from '../write-remove.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { countTokens } from './count-tokens.ts'
import { differences, differingColumns } from './differences.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Accounts by hand. */
export function createAccountEdits(parts: EditParts): AccountEdits {
  const { engine } = parts
  const change = inTransaction(parts)
  const add = change(addAccount)
  const set = change(setAccount)
  const remove = change(removeAccount)
  return {
    findAccount: (id) => engine.read(() => readEditable(id)),
    addAccount: (account, edit) => add(edit, account),
    setAccount: (id, fields, edit) => set(edit, id, fields),
    removeAccount: (id, edit) => remove(edit, id),
  }
}

const editable = [...columnsOf(accountFields), 'emailVerified'] as const

function* readEditable(id: number): Steps<EditableAccount | undefined> {
  const row = yield* first(selectAccounts().where('account.id', '=', id))
  if (row === undefined) return undefined
  const tokenCount = yield* countTokens('account_id', id, mostTokensCounted)
  return { ...readAccount(row), tokenCount, revision: revisionOf(row, editable) }
}

function* requireEditable(id: number): Steps<EditableAccount> {
  const found = yield* readEditable(id)
  if (found) return found
  throw new NotThere(`there is no account ${id}; it may be removed`)
}

function* addAccount(change: Change, account: AccountWrite): Steps<number> {
  const { now } = change
  const { email, role, status, openingNano, password } = account
  const taken = yield* findByAddress(email)
  if (taken) {
    throw new NameTaken(`there is an account "${taken.email}" already; choose another e-mail`)
  }
  yield* writeAccount(account, now)
  const id = yield* findAccountId(email)
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  const detail = { role, status, opening_nano: openingNano, ...(password && { password: 'set' }) }
  yield* note(change, 'account.create', email, detail)
  return id
}

function* setAccount(change: Change, id: number, fields: AccountFields): Steps<void> {
  const { edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  if (!(yield* writeFields(change, before, fields))) return
  const { role, status } = fields
  if (role !== undefined || status !== undefined) yield* requireAdministrator(before)
  if (status === 'disabled') yield* endSessionsOf(id)
}

/** The same for the command line, which may take the last administrator away. */
export function* changeAccount(
  { account, actor, ...fields }: AccountChange,
  now: number,
): Steps<void> {
  const id = yield* requireAccount(account, `change of account "${account}"`)
  yield* writeFields({ now, edit: { actor } }, yield* requireEditable(id), fields)
}

/** Writes what differs, and notes it; false where nothing does. */
function* writeFields(
  change: Change,
  before: EditableAccount,
  { isVouched, ...fields }: AccountFields,
): Steps<boolean> {
  // Who makes somebody an administrator vouches for them.
  const vouched = fields.role === 'admin' || isVouched ? { email_verified: 1 } : {}
  const columns = { ...toColumns(accountFields, fields), ...vouched }
  const differing = differingColumns(presentColumns(before), columns)
  if (Object.keys(differing).length === 0) return false
  yield* run(build.updateTable('account').set(differing).where('id', '=', before.id))
  const [was, is] = [audited(before), audited(yield* requireEditable(before.id))]
  yield* note(change, 'account.set', before.email, differences(was, differingColumns(was, is)))
  return true
}

const audited = (account: EditableAccount) => ({
  ...auditedFields(accountFields, account),
  email_verified: account.isVouched,
})

const presentColumns = (account: EditableAccount) => ({
  ...toColumns(accountFields, account),
  email_verified: account.isVouched ? 1 : 0,
})

/** Called when it is done: throws, so that it is undone, where nobody could administer any more. */
function* requireAdministrator(before: EditableAccount): Steps<void> {
  if (before.role !== 'admin' || before.status !== 'active') return
  const left = yield* first(
    build
      .selectFrom('account')
      .select('id')
      .where('role', '=', 'admin')
      .where('status', '=', 'active')
      .where('deleted_at', 'is', null)
      .limit(1),
  )
  if (left) return
  throw new InUse(
    `"${before.email}" is the last administrator; make somebody else one before you change that`,
  )
}

function* removeAccount(change: Change, id: number): Steps<void> {
  const { now, edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  yield* markAccountRemoved(before.email, now)
  yield* requireAdministrator(before)
  const detail = { balance_nano: before.balanceNano, tokens: before.tokenCount }
  yield* note(change, 'account.remove', before.email, detail)
}
