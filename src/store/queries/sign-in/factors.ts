import { sql } from 'kysely'
import type { NewPasskey, Passkey, SecondFactor } from '../../ports/sign-in.ts'
import { build, first, run, type Steps, update } from '../steps.ts'
import { forgetPending } from './sessions.ts'

export function* findSecondFactor(accountId: number): Steps<SecondFactor | undefined> {
  const row = yield* first(
    build
      .selectFrom('two_factor')
      .select(['secret', 'backup_codes as backupCodes', 'verified', 'locked_until as lockedUntil'])
      .where('account_id', '=', accountId),
  )
  return row && { ...row, isOn: row.verified === 1 }
}

const secondFactorOf = (accountId: number) =>
  build.updateTable('two_factor').where('account_id', '=', accountId)

/** False: there is one that is on. */
export function* offerSecondFactor(
  accountId: number,
  secret: string,
  backupCodes: string,
): Steps<boolean> {
  const sealed = { secret, backup_codes: backupCodes }
  const kept = yield* run(
    build
      .insertInto('two_factor')
      .values({ account_id: accountId, ...sealed, verified: 0 })
      .onConflict((conflict) =>
        conflict.column('account_id').doUpdateSet(sealed).where('two_factor.verified', '=', 0),
      ),
  )
  return kept > 0
}

export function* turnOnSecondFactor(accountId: number): Steps<void> {
  yield* run(secondFactorOf(accountId).set({ verified: 1 }))
  yield* update('account', accountId, { two_factor_enabled: 1 })
}

export function* replaceBackupCodes(accountId: number, from: string, to: string): Steps<boolean> {
  const same = secondFactorOf(accountId).where('backup_codes', '=', from)
  return (yield* run(same.set({ backup_codes: to }))) > 0
}

/** Forgets trusted devices with it. */
export function* removeSecondFactor(accountId: number): Steps<void> {
  yield* run(build.deleteFrom('two_factor').where('account_id', '=', accountId))
  yield* update('account', accountId, { two_factor_enabled: 0 })
  yield* forgetPending(accountId)
}

/** A lock that is over begins a new count. */
export function* noteWrongCode(
  accountId: number,
  { after, ms }: { readonly after: number; readonly ms: number },
  now: number,
): Steps<void> {
  yield* run(
    secondFactorOf(accountId).set({
      failed_count: sql<number>`case when locked_until <= ${now} then 1 else failed_count + 1 end`,
      locked_until: sql<number | null>`case when locked_until > ${now} then locked_until
        when locked_until is null and failed_count + 1 >= ${after} then ${now + ms} end`,
    }),
  )
}

/** Longer than any code of a moment is taken. */
const keptMs = 600_000

/** Takes a code: of several who use it at once, one gets it. Call it in a transaction. */
export function* takeCode(accountId: number, codeHash: string, now: number): Steps<boolean> {
  const own = build.deleteFrom('used_code').where('account_id', '=', accountId)
  yield* run(own.where('used_at', '<', now - keptMs))
  const row = { account_id: accountId, code_hash: codeHash, used_at: now }
  const taken = build.insertInto('used_code').values(row)
  const added = taken.onConflict((conflict) => conflict.doNothing()).returning('used_at')
  if ((yield* first(added)) === undefined) return false
  yield* run(secondFactorOf(accountId).set({ failed_count: 0, locked_until: null }))
  return true
}

/** Passkeys, the oldest first. */
export const selectPasskeys = () =>
  build
    .selectFrom('passkey')
    .select(['id', 'name', 'counter', 'account_id as accountId', 'created_at as createdAt'])
    .select(['credential_id as credentialId', 'public_key as publicKey'])
    .orderBy('id')

export function* findPasskey(credentialId: string): Steps<Passkey | undefined> {
  return yield* first(selectPasskeys().where('credential_id', '=', credentialId))
}

/** Undefined: it is known already. */
export function* addPasskey(passkey: NewPasskey, now: number): Steps<number | undefined> {
  const { accountId, name, credentialId, publicKey, counter, transports, aaguid } = passkey
  const row = {
    ...{ account_id: accountId, name, credential_id: credentialId, public_key: publicKey },
    ...{ counter, transports, aaguid, created_at: now },
    ...{ device_type: passkey.deviceType, backed_up: passkey.isBackedUp ? 1 : 0 },
  } as const
  const added = build.insertInto('passkey').values(row)
  return (yield* first(added.onConflict((conflict) => conflict.doNothing()).returning('id')))?.id
}

export function* countPasskey(
  { id, counter }: Pick<Passkey, 'id' | 'counter'>,
  next: number,
): Steps<boolean> {
  const same = build.updateTable('passkey').where('id', '=', id).where('counter', '=', counter)
  return (yield* run(same.set({ counter: next }))) > 0
}

export function* removePasskey(accountId: number, id: number): Steps<boolean> {
  const own = build.deleteFrom('passkey').where('account_id', '=', accountId)
  return (yield* run(own.where('id', '=', id))) > 0
}
