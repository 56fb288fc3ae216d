import { sql } from 'kysely'
import type { AccountEdits, AccountFields, EditableAccount } from '../../ports/account-edits.ts'
import type { AccountWrite } from '../../ports/admin.ts'
import { type Edit, InUse, NameTaken, NotThere } from '../../ports/edits.ts'
import { readAccount, selectAccounts } from '../admin.ts'
import { addAudit } from '../audit.ts'
import { findAccountId } from '../names.ts'
import type { Queries } from '../queries.ts'
import { endSessionsOf } from '../sign-in/passwords.ts'
import { writeAccount } from '../write-accounts.ts'
import { removeAccount } from '../write-remove.ts'
import type { EditParts } from './edits.ts'
import { checkRevision, revisionOf } from './revision.ts'

/** Every change of an account is made by one of these, in a transaction of its own. */
interface Change {
  readonly queries: Queries
  readonly now: number
  readonly edit: Edit
}

/** Accounts by hand. */
export function createAccountEdits({ db, queries, clock, access }: EditParts): AccountEdits {
  const changeOf = (edit: Edit): Change => ({ queries, now: clock(), edit })
  const add = db.transaction(addNow)
  const set = db.transaction(setNow)
  const remove = db.transaction(removeNow)
  return {
    findAccount: (id) => access(() => readEditable(queries, id)),
    addAccount: (account, edit) => access(() => add.immediate(changeOf(edit), account)),
    setAccount: (id, fields, edit) => access(() => set.immediate(changeOf(edit), id, fields)),
    removeAccount: (id, edit) => access(() => remove.immediate(changeOf(edit), id)),
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

/** More tokens are not counted: it is done on the thread of all else. */
const mostCounted = 10_000

function readEditable(queries: Queries, id: number): EditableAccount | undefined {
  const { build, first } = queries
  const row = first(selectAccounts(queries).where('account.id', '=', id))
  if (row === undefined) return undefined
  const tokens = build
    .selectFrom('token')
    .select(sql`1`.as('one'))
    .where('account_id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(mostCounted)
  const counted = first(
    build.selectFrom(tokens.as('row')).select((eb) => eb.fn.countAll<number>().as('count')),
  )
  const revision = revisionOf(row, editable)
  return { ...readAccount(row), tokenCount: counted?.count ?? 0, revision }
}

function requireEditable({ queries }: Change, id: number): EditableAccount {
  const found = readEditable(queries, id)
  if (found) return found
  throw new NotThere(`there is no account ${id}; it may be removed`)
}

function addNow({ queries, now, edit }: Change, account: AccountWrite): number {
  const { email, role, status, openingNano, password } = account
  if (isTaken(queries, email)) {
    throw new NameTaken(`there is an account "${email}" already; choose another e-mail`)
  }
  writeAccount(queries, account, now)
  const id = findAccountId(queries, email)
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  const detail = {
    ...{ role, status, opening_nano: openingNano },
    ...(password && { password: 'set' }),
  }
  addAudit(queries, {
    createdAt: now,
    actor: edit.actor,
    action: 'account.create',
    subject: email,
    detail,
  })
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

function setNow(change: Change, id: number, fields: AccountFields): void {
  const { queries, now, edit } = change
  const before = requireEditable(change, id)
  checkRevision(edit.revision, before.revision, `Account "${before.email}"`)
  const { role, status, creditLimitNano, balanceLowNano, limits = {} } = fields
  const columns = {
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
    ...(creditLimitNano !== undefined && { credit_limit_nano: creditLimitNano }),
    ...(balanceLowNano !== undefined && { balance_low_nano: balanceLowNano }),
    ...limits,
  }
  const detail = differences(columnsOf(before), columns)
  if (Object.keys(detail).length === 0) return
  const { build, run } = queries
  run(build.updateTable('account').set(columns).where('id', '=', id))
  if (role !== undefined || status !== undefined) requireAdministrator(queries, before)
  if (status === 'disabled') endSessionsOf(queries, id)
  addAudit(queries, {
    createdAt: now,
    actor: edit.actor,
    action: 'account.set',
    subject: before.email,
    detail,
  })
}

const columnsOf = (account: EditableAccount) => ({
  role: account.role,
  status: account.status,
  credit_limit_nano: account.creditLimitNano,
  balance_low_nano: account.balanceLowNano,
  ...account.limits,
})

function differences(
  before: { readonly [column: string]: unknown },
  columns: { readonly [column: string]: unknown },
) {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, to]) => {
      const from = before[column]
      return from === to ? [] : [[column, { from, to }]]
    }),
  )
}

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

function removeNow(change: Change, id: number): void {
  const { queries, now, edit } = change
  const before = requireEditable(change, id)
  checkRevision(edit.revision, before.revision, `Account "${before.email}"`)
  removeAccount(queries, before.email, now)
  requireAdministrator(queries, before)
  addAudit(queries, {
    createdAt: now,
    actor: edit.actor,
    action: 'account.remove',
    subject: before.email,
    detail: { balance_nano: before.balanceNano, tokens: before.tokenCount },
  })
}
