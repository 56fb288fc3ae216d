import { sql } from 'kysely'
import type { AccountEdits, AccountFields, EditableAccount } from '../../ports/account-edits.ts'
import type { AccountWrite } from '../../ports/admin.ts'
import { InUse, mostTokensCounted, NameTaken, NotThere } from '../../ports/edits.ts'
import { readAccount, selectAccounts } from '../admin.ts'
import { findAccountId } from '../names.ts'
import type { Queries } from '../queries.ts'
import { endSessionsOf } from '../sign-in/passwords.ts'
import { writeAccount } from '../write-accounts.ts'
import { removeAccount as markAccountRemoved } from '../write-remove.ts'
import { type Change, type EditParts, inTransaction, note } from './change.ts'
import { countTokens } from './count-tokens.ts'
import { differences, differingColumns } from './differences.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Accounts by hand. */
export function createAccountEdits(parts: EditParts): AccountEdits {
  const { queries, access } = parts
  const change = inTransaction(parts)
  const add = change(addAccount)
  const set = change(setAccount)
  const remove = change(removeAccount)
  return {
    findAccount: (id) => access(() => readEditable(queries, id)),
    addAccount: (account, edit) => add(edit, account),
    setAccount: (id, fields, edit) => set(edit, id, fields),
    removeAccount: (id, edit) => remove(edit, id),
  }
}

const editable = [
  'role',
  'status',
  'creditLimitNano',
  'balanceLowNano',
  'rpm',
  'tpm',
  'concurrency',
] as const

function readEditable(queries: Queries, id: number): EditableAccount | undefined {
  const row = queries.first(selectAccounts(queries).where('account.id', '=', id))
  if (row === undefined) return undefined
  const tokenCount = countTokens(queries, 'account_id', id, mostTokensCounted)
  return { ...readAccount(row), tokenCount, revision: revisionOf(row, editable) }
}

function requireEditable({ queries }: Change, id: number): EditableAccount {
  const found = readEditable(queries, id)
  if (found) return found
  throw new NotThere(`there is no account ${id}; it may be removed`)
}

function addAccount(change: Change, account: AccountWrite): number {
  const { queries, now } = change
  const { email, role, status, openingNano, password } = account
  if (isTaken(queries, email)) {
    throw new NameTaken(`there is an account "${email}" already; choose another e-mail`)
  }
  writeAccount(queries, account, now)
  const id = findAccountId(queries, email)
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  const detail = { role, status, opening_nano: openingNano, ...(password && { password: 'set' }) }
  note(change, 'account.create', email, detail)
  return id
}

/** People write their address in capitals, too: two that differ in these only are one. */
function isTaken({ build, first }: Queries, email: string): boolean {
  const found = first(
    build
      .selectFrom('account')
      .select('id')
      .where(sql`lower(email)`, '=', email.toLowerCase())
      .where('deleted_at', 'is', null),
  )
  return found !== undefined
}

function setAccount(change: Change, id: number, fields: AccountFields): void {
  const { queries, edit } = change
  const before = requireEditable(change, id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  const { role, status, creditLimitNano, balanceLowNano, limits = {} } = fields
  const columns = {
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
    ...(creditLimitNano !== undefined && { credit_limit_nano: creditLimitNano }),
    ...(balanceLowNano !== undefined && { balance_low_nano: balanceLowNano }),
    ...limits,
  }
  const present = columnsOf(before)
  const changed = differingColumns(present, columns)
  if (Object.keys(changed).length === 0) return
  const { build, run } = queries
  run(build.updateTable('account').set(changed).where('id', '=', id))
  if (role !== undefined || status !== undefined) requireAdministrator(queries, before)
  if (status === 'disabled') endSessionsOf(queries, id)
  note(change, 'account.set', before.email, differences(present, changed))
}

const columnsOf = (account: EditableAccount) => ({
  role: account.role,
  status: account.status,
  credit_limit_nano: account.creditLimitNano,
  balance_low_nano: account.balanceLowNano,
  ...account.limits,
})

/** Called when it is done: throws, so that it is undone, where nobody could administer any more. */
function requireAdministrator({ build, first }: Queries, before: EditableAccount): void {
  if (before.role !== 'admin' || before.status !== 'active') return
  const left = first(
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

function removeAccount(change: Change, id: number): void {
  const { queries, now, edit } = change
  const before = requireEditable(change, id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  markAccountRemoved(queries, before.email, now)
  requireAdministrator(queries, before)
  const detail = { balance_nano: before.balanceNano, tokens: before.tokenCount }
  note(change, 'account.remove', before.email, detail)
}
