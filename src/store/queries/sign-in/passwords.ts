import type { FirstAdministrator, PasswordChange, SignInAccount } from '../../ports/sign-in.ts'
import { addAudit } from '../changes.ts'
import { findByAddress, requireNamed } from '../names.ts'
import { build, first, insert, run, type Steps, update } from '../steps.ts'
import { removeSecondFactor } from './factors.ts'
import { endSessionsOf } from './sessions.ts'

/** What the credential of a password is called; the others are called by their provider. */
export const passwordProvider = 'credential'

interface Password {
  /** Absent: the password stays, and is only marked otherwise. */
  readonly hash?: string
  /** Absent: the mark stays, so that the configuration does not take the password back. */
  readonly mark?: string
}

/** Sets the password of an account, and ends its sessions. Call it in a transaction. */
export function* putPassword(
  accountId: number,
  { hash, mark }: Password,
  now: number,
): Steps<void> {
  const marked = mark === undefined ? {} : { password_mark: mark }
  if (hash === undefined) {
    const credential = build.updateTable('credential').set(marked)
    const own = credential.where('provider', '=', passwordProvider)
    yield* run(own.where('account_id', '=', accountId))
    return
  }
  const row = {
    account_id: accountId,
    provider: passwordProvider,
    subject: String(accountId),
    password_hash: hash,
    ...marked,
    created_at: now,
    updated_at: now,
  }
  yield* run(
    build
      .insertInto('credential')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['provider', 'subject'])
          .doUpdateSet({ password_hash: hash, ...marked, updated_at: now }),
      ),
  )
  yield* endSessionsOf(accountId)
}

/** Takes from a removed account all that it could sign in with. */
export function* removeSignIn(accountId: number): Steps<void> {
  yield* endSessionsOf(accountId)
  for (const table of ['credential', 'two_factor', 'passkey', 'used_code'] as const)
    yield* run(build.deleteFrom(table).where('account_id', '=', accountId))
}

/** Sets a password by hand, with an audit row. */
export function* changePassword(change: PasswordChange, now: number): Steps<void> {
  const { account, passwordHash, actor } = change
  const id = yield* requireNamed('account', account, `password of account "${account}"`)
  yield* putPassword(id, { hash: passwordHash }, now)
  const entry = { createdAt: now, actor, subject: account, detail: {} }
  yield* addAudit({ ...entry, action: 'account.password' })
}

/** Forgets the second factor of an account and ends its sessions, with an audit row. */
export function* resetSecondFactor(account: string, actor: string, now: number): Steps<void> {
  const id = yield* requireNamed('account', account, `second factor of account "${account}"`)
  yield* removeSecondFactor(id)
  yield* endSessionsOf(id)
  const entry = { createdAt: now, actor, subject: account, detail: {} }
  yield* addAudit({ ...entry, action: 'account.reset_2fa' })
}

/** Whether an active administrator has a password, a provider or a passkey. */
export function* hasAdministrator(): Steps<boolean> {
  const row = yield* first(
    build
      .selectFrom('account')
      .select('id')
      .where('role', '=', 'admin')
      .where('deleted_at', 'is', null)
      .where('status', '=', 'active')
      .where(({ or, exists, selectFrom }) =>
        or([
          exists(selectFrom('credential').select('id').whereRef('account_id', '=', 'account.id')),
          exists(selectFrom('passkey').select('id').whereRef('account_id', '=', 'account.id')),
        ]),
      )
      .limit(1),
  )
  return row !== undefined
}

/** Makes the first administrator, with an audit row. Call it in a transaction. */
export function* makeAdministrator(
  email: string,
  passwordHash: string,
  now: number,
): Steps<FirstAdministrator> {
  if (yield* hasAdministrator()) return 'closed'
  const known = yield* findByAddress(email)
  if (known !== undefined) {
    if (known.email_verified === 0) return 'claimed'
    const account = yield* findAccount({ id: known.id })
    if (account === undefined || account.passwordHash !== null) return 'taken'
    yield* update('account', known.id, { role: 'admin' })
  }
  const id = known?.id ?? (yield* addAccount({ email, role: 'admin', isVouched: true }, now))
  yield* putPassword(id, { hash: passwordHash }, now)
  const entry = { createdAt: now, actor: email, subject: email, detail: {} }
  yield* addAudit({ ...entry, action: 'account.first_admin' })
  return known === undefined ? 'created' : 'promoted'
}

interface AddedAccount {
  readonly email: string
  readonly name?: string
  readonly role?: 'admin' | 'user'
  /** Whether its address is known to be its owner's. */
  readonly isVouched: boolean
}

/** Adds an account with nothing; gives its id. */
export const addAccount = (
  { email, name = '', role = 'user', isVouched }: AddedAccount,
  now: number,
): Steps<number> =>
  insert('account', {
    ...{ email, name, role, status: 'active', email_verified: isVouched ? 1 : 0 },
    ...{ balance_nano: 0, credit_limit_nano: 0, created_at: now },
  })

/** An account that may sign in: live and active. */
export function* findAccount(
  who: { readonly id: number } | { readonly email: string },
): Steps<SignInAccount | undefined> {
  const id = 'id' in who ? who.id : (yield* findByAddress(who.email))?.id
  if (id === undefined) return undefined
  const row = yield* first(
    build
      .selectFrom('account')
      .leftJoin('credential', (join) =>
        join
          .onRef('credential.account_id', '=', 'account.id')
          .on('credential.provider', '=', passwordProvider),
      )
      .select(['account.id as id', 'email', 'password_hash as passwordHash', 'two_factor_enabled'])
      .where('account.id', '=', id)
      .where('account.status', '=', 'active')
      .where('account.deleted_at', 'is', null),
  )
  if (row === undefined) return undefined
  const { two_factor_enabled, ...account } = row
  return { ...account, hasSecondFactor: two_factor_enabled === 1 }
}
