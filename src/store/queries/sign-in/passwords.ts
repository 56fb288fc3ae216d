import type { StoredAccount } from '../../ports/admin.ts'
import type { FirstAdministrator, PasswordChange, SignInAccount } from '../../ports/sign-in.ts'
import { sql } from '../../schema/sql.ts'
import { addAudit } from '../changes.ts'
import { findByAddress, requireNamed } from '../names.ts'
import { first, insert, run, type Steps, update } from '../steps.ts'
import { removeSecondFactor } from './factors.ts'
import { endSessionsOf } from './sessions.ts'

export const passwordProvider = 'credential'

interface Password {
  /** Absent: the password stays, and is only marked otherwise. */
  readonly hash?: string
  /** Absent: the mark stays, so that the configuration does not reset the password. */
  readonly mark?: string
}

/** Sets the password of an account, and ends its sessions. Call it in a transaction. */
export function* putPassword(
  accountId: number,
  { hash, mark }: Password,
  now: number,
): Steps<void> {
  if (hash === undefined) {
    if (mark === undefined) return
    yield* run(sql`UPDATE credential SET password_mark = ${mark}
      WHERE provider = ${passwordProvider} AND account_id = ${accountId}`)
    return
  }
  const kept = mark === undefined ? sql`` : sql`, password_mark = excluded.password_mark`
  yield* run(sql`INSERT INTO credential (account_id, provider, subject, password_hash,
      password_mark, created_at, updated_at)
    VALUES (${accountId}, ${passwordProvider}, ${String(accountId)}, ${hash}, ${mark ?? null},
      ${now}, ${now})
    ON CONFLICT (provider, subject) DO UPDATE SET password_hash = excluded.password_hash,
      updated_at = excluded.updated_at${kept}`)
  yield* endSessionsOf(accountId)
}

/** The same by an operator: also removes passkeys and linked providers, which an intruder may have added. */
export function* resetPassword(accountId: number, password: Password, now: number): Steps<void> {
  yield* putPassword(accountId, password, now)
  if (password.hash === undefined) return
  yield* run(sql`DELETE FROM passkey WHERE account_id = ${accountId}`)
  yield* run(sql`DELETE FROM credential
    WHERE account_id = ${accountId} AND provider <> ${passwordProvider}`)
}

/** Deletes all credentials and sessions of a removed account. */
export function* removeSignIn(accountId: number): Steps<void> {
  yield* endSessionsOf(accountId)
  for (const table of ['credential', 'two_factor', 'passkey', 'used_code'])
    yield* run(sql`DELETE FROM ${sql.ref(table)} WHERE account_id = ${accountId}`)
}

export const note = (actor: string, action: string, subject: string, now: number): Steps<void> =>
  addAudit({ createdAt: now, actor, action, subject, detail: {} })

/** Sets a password by hand, with an audit row. */
export function* changePassword(change: PasswordChange, now: number): Steps<void> {
  const { account, passwordHash, actor } = change
  const id = yield* requireNamed('account', account, `password of account "${account}"`)
  const put = actor === account ? putPassword : resetPassword
  yield* put(id, { hash: passwordHash }, now)
  yield* note(actor, 'account.password', account, now)
}

/** Forgets the second factor of an account and ends its sessions, with an audit row. */
export function* resetSecondFactor(account: string, actor: string, now: number): Steps<void> {
  const id = yield* requireNamed('account', account, `second factor of account "${account}"`)
  yield* removeSecondFactor(id)
  yield* endSessionsOf(id)
  yield* note(actor, 'account.reset_2fa', account, now)
}

/** Whether an active administrator has a password, a provider or a passkey. */
export function* hasAdministrator(): Steps<boolean> {
  const row = yield* first(
    sql`SELECT id FROM account WHERE role = 'admin' AND deleted_at IS NULL AND status = 'active'
      AND (EXISTS (SELECT 1 FROM credential WHERE account_id = account.id)
        OR EXISTS (SELECT 1 FROM passkey WHERE account_id = account.id)) LIMIT 1`,
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
  const id = known?.id ?? (yield* addAccount({ email, isVouched: true }, now, { role: 'admin' }))
  yield* putPassword(id, { hash: passwordHash }, now)
  yield* note(email, 'account.first_admin', email, now)
  return known === undefined ? 'created' : 'promoted'
}

/** Adds an account with nothing; gives its id. */
export const addAccount = (
  { email, isVouched }: Pick<StoredAccount, 'email' | 'isVouched'>,
  now: number,
  { name = '', role = 'user' }: { readonly name?: string; readonly role?: 'admin' | 'user' } = {},
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
    sql<Omit<SignInAccount, 'hasSecondFactor'> & { readonly two_factor_enabled: number }>`
      SELECT account.id, email, password_hash AS "passwordHash", two_factor_enabled FROM account
      LEFT JOIN credential ON credential.account_id = account.id
        AND credential.provider = ${passwordProvider}
      WHERE account.id = ${id} AND account.status = 'active' AND account.deleted_at IS NULL`,
  )
  if (row === undefined) return undefined
  const { two_factor_enabled, ...account } = row
  return { ...account, hasSecondFactor: two_factor_enabled === 1 }
}
