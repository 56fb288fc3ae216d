import { sql } from 'kysely'
import type { FirstAdministrator, PasswordChange } from '../../ports/sign-in.ts'
import { addAudit } from '../audit.ts'
import { requireAccount } from '../names.ts'
import type { Queries } from '../queries.ts'

/** What the credential of a password is called, as the sign-in library has it. */
export const passwordProvider = 'credential'

interface Password {
  readonly hash: string
  /** Absent: the mark stays, so that the configuration does not take the password back. */
  readonly mark?: string
}

/** Sets the password of an account, and ends its sessions. Call it in a transaction. */
export function putPassword(
  queries: Queries,
  accountId: number,
  { hash, mark }: Password,
  now: number,
): void {
  const { build, run } = queries
  const marked = mark === undefined ? {} : { password_mark: mark }
  const row = {
    account_id: accountId,
    provider: passwordProvider,
    subject: String(accountId),
    password_hash: hash,
    ...marked,
    created_at: now,
    updated_at: now,
  }
  run(
    build
      .insertInto('credential')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['provider', 'subject'])
          .doUpdateSet({ password_hash: hash, ...marked, updated_at: now }),
      ),
  )
  endSessionsOf(queries, accountId)
}

/** Signs an account out everywhere, and out of what it was about to do. */
export function endSessionsOf({ build, run }: Queries, accountId: number): void {
  run(build.deleteFrom('session').where('account_id', '=', accountId))
  run(build.deleteFrom('verification').where('value', '=', String(accountId)))
}

/** Takes from a removed account all that it could sign in with. */
export function removeSignIn(queries: Queries, accountId: number): void {
  const { build, run } = queries
  endSessionsOf(queries, accountId)
  for (const table of ['credential', 'two_factor', 'passkey'] as const)
    run(build.deleteFrom(table).where('account_id', '=', accountId))
}

/** Sets a password by hand, with an audit row. */
export function changePassword(queries: Queries, change: PasswordChange, now: number): void {
  const { account, passwordHash, actor } = change
  const id = requireAccount(queries, account, `password of account "${account}"`)
  putPassword(queries, id, { hash: passwordHash }, now)
  const entry = { createdAt: now, actor, subject: account, detail: {} }
  addAudit(queries, { ...entry, action: 'account.password' })
}

/** Forgets the second factor of an account, with an audit row. */
export function forgetTwoFactor(
  queries: Queries,
  { account, actor }: Pick<PasswordChange, 'account' | 'actor'>,
  now: number,
): void {
  const { build, run } = queries
  const id = requireAccount(queries, account, `second factor of account "${account}"`)
  run(build.deleteFrom('two_factor').where('account_id', '=', id))
  run(build.updateTable('account').set({ two_factor_enabled: 0 }).where('id', '=', id))
  endSessionsOf(queries, id)
  const entry = { createdAt: now, actor, subject: account, detail: {} }
  addAudit(queries, { ...entry, action: 'account.reset_2fa' })
}

/** Whether an active administrator has a password, a provider or a passkey. */
export function hasAdministrator({ build, first }: Queries): boolean {
  const row = first(
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

/** Without regard to case, as people sign in; of several the oldest. */
function findByAddress({ build, first }: Queries, email: string): number | undefined {
  return first(
    build
      .selectFrom('account')
      .select('id')
      .where(sql<boolean>`lower(email) = lower(${email})`)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(1),
  )?.id
}

/** Makes the first administrator, with an audit row. Call it in a transaction. */
export function makeAdministrator(
  queries: Queries,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
  now: number,
): FirstAdministrator {
  if (hasAdministrator(queries)) return 'closed'
  const { build, run, first } = queries
  const known = findByAddress(queries, email)
  if (known !== undefined) {
    const row = first(build.selectFrom('account').select('status').where('id', '=', known))
    if (row?.status !== 'active' || findPasswordHash(queries, known) !== null) return 'taken'
    run(build.updateTable('account').set({ role: 'admin' }).where('id', '=', known))
  }
  const fresh = {
    ...{ email, role: 'admin' as const, status: 'active' as const },
    ...{ balance_nano: 0, credit_limit_nano: 0, created_at: now },
  }
  const id = known ?? first(build.insertInto('account').values(fresh).returning('id'))?.id
  if (id === undefined) throw new Error('The first administrator was not stored.')
  putPassword(queries, id, { hash: passwordHash }, now)
  const entry = { createdAt: now, actor: email, subject: email, detail: {} }
  addAudit(queries, { ...entry, action: 'account.first_admin' })
  return known === undefined ? 'created' : 'promoted'
}

/** Null: it has none, or may not sign in. */
export function findPasswordHash({ build, first }: Queries, accountId: number): string | null {
  const row = first(
    build
      .selectFrom('credential')
      .innerJoin('account', 'account.id', 'credential.account_id')
      .select('credential.password_hash as hash')
      .where('credential.account_id', '=', accountId)
      .where('credential.provider', '=', passwordProvider)
      .where('account.status', '=', 'active')
      .where('account.deleted_at', 'is', null),
  )
  return row?.hash ?? null
}
