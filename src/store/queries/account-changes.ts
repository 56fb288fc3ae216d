import type { AccountFields } from '../ports/admin.ts'
import { type AccountChange, type AccountWrite, WriteRefused } from '../ports/admin.ts'
import {
  type EditableAccount,
  InUse,
  mostTokensCounted,
  NameTaken,
  NotThere,
} from '../ports/edits.ts'
import { readAccount, selectAccounts } from './accounts.ts'
import { addAudit } from './audit.ts'
import {
  type Change,
  checkRevision,
  differences,
  differingColumns,
  given,
  note,
  revisionOf,
  shownOfRow,
} from './changes.ts'
import { limitsOf, regionsText } from './columns.ts'
import { countTokens, findAccountId, findByAddress, requireAccount } from './names.ts'
import { endSessionsOf, putPassword, removeSignIn } from './sign-in/passwords.ts'
import { build, first, run, type Steps } from './steps.ts'

/** The columns of the fields that are given. Who makes somebody an administrator vouches for them. */
function accountColumns({ role, isVouched, status, limits, regions, ...money }: AccountFields) {
  const { creditLimitNano, balanceLowNano } = money
  return given({
    ...{ role, status },
    email_verified: role === 'admin' || isVouched ? 1 : undefined,
    credit_limit_nano: creditLimitNano,
    balance_low_nano: balanceLowNano,
    ...{ rpm: limits?.rpm, tpm: limits?.tpm, concurrency: limits?.concurrency },
    regions: regions === undefined ? undefined : regionsText(regions),
  })
}

/** Changes what is named of an account, and nothing else. Call it in a transaction. */
export function* changeAccount(change: AccountChange, now: number): Steps<void> {
  const { account, actor, ...fields } = change
  const id = yield* requireAccount(account, `change of account "${account}"`)
  const before = yield* first(build.selectFrom('account').selectAll().where('id', '=', id))
  const changed = differingColumns(before ?? {}, accountColumns(fields))
  if (Object.keys(changed).length === 0) return
  yield* run(build.updateTable('account').set(changed).where('id', '=', id))
  const detail = differences(before ?? {}, changed, shownOfRow)
  yield* addAudit({ createdAt: now, actor, action: 'account.set', subject: account, detail })
}

function* openAccount(account: AccountWrite, now: number): Steps<void> {
  const { email, role, status, openingNano, password } = account
  if (!Number.isSafeInteger(openingNano)) {
    throw new WriteRefused(
      `account "${email}": an opening balance of ${openingNano} nano-USD is not a whole number ` +
        'between -2^53 and 2^53',
    )
  }
  const row = {
    email,
    role,
    status,
    balance_nano: openingNano,
    credit_limit_nano: account.creditLimitNano ?? 0,
    balance_low_nano: account.balanceLowNano ?? null,
    ...(account.limits && limitsOf(account.limits)),
    regions: regionsText(account.regions ?? null),
    created_at: now,
  }
  const made = yield* first(build.insertInto('account').values(row).returning('id'))
  const id = made?.id
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  if (password) yield* putPassword(id, password, now)
  if (openingNano === 0) return
  const entry = {
    created_at: now,
    account_id: id,
    kind: 'opening' as const,
    amount_nano: openingNano,
    balance_after_nano: openingNano,
  }
  yield* run(build.insertInto('ledger').values(entry))
}

/** People write their address in capitals, too: two that differ in these only are one. */
function* requireFreeAddress(email: string): Steps<void> {
  const taken = yield* findByAddress(email)
  if (taken === undefined) return
  throw new WriteRefused(
    `account "${email}": there is an account "${taken.email}" already, and capital letters make no ` +
      'other address; write it as that one is written',
  )
}

/**
 * Refuses to give anything to an account that registered itself: whoever plans sets knows which these
 * are, but one may have come since.
 */
function* requireMeant(id: number, account: AccountWrite): Steps<void> {
  const row = yield* first(build.selectFrom('account').selectAll().where('id', '=', id))
  if (row === undefined || row.email_verified === 1) return
  const { email, role, password, creditLimitNano = row.credit_limit_nano } = account
  if (role === row.role && !password && creditLimitNano <= row.credit_limit_nano) return
  throw new WriteRefused(
    `account "${email}" registered itself, and nobody has vouched for its address ` +
      `(tollgate account set ${email} --vouch)`,
  )
}

/** Creates an account with its opening balance, or updates all of it but the balance. */
export function* writeAccount(account: AccountWrite, now: number): Steps<void> {
  const id = yield* findAccountId(account.email)
  if (id === undefined) {
    yield* requireFreeAddress(account.email)
    yield* openAccount(account, now)
    return
  }
  yield* requireMeant(id, account)
  const { email: _, openingNano: __, password, ...fields } = account
  const { email_verified: ___, ...columns } = accountColumns(fields)
  yield* run(build.updateTable('account').set(columns).where('id', '=', id))
  if (password) yield* putPassword(id, password, now)
  // Who is let in again later signs in anew.
  if (account.status !== 'active') yield* endSessionsOf(id)
}

const revised = ['emailVerified', 'role', 'status', 'creditLimitNano', 'balanceLowNano'] as const
const revisedLimits = ['regions', 'rpm', 'tpm', 'concurrency'] as const

/** A live account as people edit it. */
export function* readEditableAccount(id: number): Steps<EditableAccount | undefined> {
  const row = yield* first(selectAccounts().where('account.id', '=', id))
  if (row === undefined) return undefined
  const tokenCount = yield* countTokens('account_id', id, mostTokensCounted)
  return {
    ...readAccount(row),
    tokenCount,
    revision: revisionOf(row, [...revised, ...revisedLimits]),
  }
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
  yield* writeAccount(account, now)
  const id = yield* findAccountId(email)
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  const detail = { role, status, opening_nano: openingNano, ...(password && { password: 'set' }) }
  yield* note(change, 'account.create', email, detail)
  return id
}

export function* setAccount(change: Change, id: number, fields: AccountFields): Steps<void> {
  const { edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  const { role, status } = fields
  const present = columnsOf(before)
  const changed = differingColumns(present, accountColumns(fields))
  if (Object.keys(changed).length === 0) return
  yield* run(build.updateTable('account').set(changed).where('id', '=', id))
  if (role !== undefined || status !== undefined) yield* requireAdministrator(before)
  if (status === 'disabled') yield* endSessionsOf(id)
  yield* note(change, 'account.set', before.email, differences(present, changed))
}

const columnsOf = (account: EditableAccount) => ({
  role: account.role,
  status: account.status,
  email_verified: account.isVouched ? 1 : 0,
  credit_limit_nano: account.creditLimitNano,
  balance_low_nano: account.balanceLowNano,
  ...account.limits,
  regions: regionsText(account.regions),
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

export function* removeAccount(change: Change, id: number): Steps<void> {
  const { now, edit } = change
  const before = yield* requireEditable(id)
  checkRevision(edit.revision, before.revision, `the account "${before.email}"`)
  yield* markAccountRemoved(before.email, now)
  yield* requireAdministrator(before)
  const detail = { balance_nano: before.balanceNano, tokens: before.tokenCount }
  yield* note(change, 'account.remove', before.email, detail)
}

/** Marks an account and its tokens as deleted, and takes away what it signs in with, and its responses. */
export function* markAccountRemoved(email: string, now: number): Steps<void> {
  const id = yield* requireAccount(email, 'remove account')
  const tokens = build.updateTable('token').set({ deleted_at: now })
  yield* run(tokens.where('account_id', '=', id).where('deleted_at', 'is', null))
  yield* run(build.updateTable('account').set({ deleted_at: now }).where('id', '=', id))
  yield* removeSignIn(id)
  yield* run(build.deleteFrom('response').where('account_id', '=', id))
}
