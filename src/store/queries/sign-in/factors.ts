import type { NewPasskey, Passkey, SecondFactor } from '../../ports/sign-in.ts'
import { selected } from '../../schema/columns.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import { first, run, type Steps, update } from '../steps.ts'
import { forgetPending } from './sessions.ts'

type FactorRow = Omit<SecondFactor, 'isOn'> & { readonly verified: number }

export function* findSecondFactor(accountId: number): Steps<SecondFactor | undefined> {
  const row = yield* first(
    sql<FactorRow>`SELECT secret, backup_codes AS "backupCodes", verified,
      locked_until AS "lockedUntil" FROM two_factor WHERE account_id = ${accountId}`,
  )
  return row && { ...row, isOn: row.verified === 1 }
}

/** False: there is one that is on. */
export function* offerSecondFactor(
  accountId: number,
  secret: string,
  backupCodes: string,
): Steps<boolean> {
  const kept = yield* run(sql`INSERT INTO two_factor (account_id, secret, backup_codes, verified)
    VALUES (${accountId}, ${secret}, ${backupCodes}, 0)
    ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret,
      backup_codes = excluded.backup_codes WHERE two_factor.verified = 0`)
  return kept > 0
}

/** False: another has taken its place, or it is on. */
export function* turnOnSecondFactor(accountId: number, secret: string): Steps<boolean> {
  const changed = yield* run(sql`UPDATE two_factor SET verified = 1
    WHERE account_id = ${accountId} AND secret = ${secret} AND verified = 0`)
  if (changed > 0) yield* update('account', accountId, { two_factor_enabled: 1 })
  return changed > 0
}

export function* replaceBackupCodes(accountId: number, from: string, to: string): Steps<boolean> {
  const changed = yield* run(sql`UPDATE two_factor SET backup_codes = ${to}
    WHERE account_id = ${accountId} AND backup_codes = ${from}`)
  return changed > 0
}

/** Forgets trusted devices with it. */
export function* removeSecondFactor(accountId: number): Steps<void> {
  yield* run(sql`DELETE FROM two_factor WHERE account_id = ${accountId}`)
  yield* update('account', accountId, { two_factor_enabled: 0 })
  yield* forgetPending(accountId)
}

/** A lock that is over begins a new count. */
export function* noteWrongCode(
  accountId: number,
  { after, ms }: { readonly after: number; readonly ms: number },
  now: number,
): Steps<void> {
  yield* run(sql`UPDATE two_factor SET
    failed_count = CASE WHEN locked_until <= ${now} THEN 1 ELSE failed_count + 1 END,
    locked_until = CASE WHEN locked_until > ${now} THEN locked_until
      WHEN locked_until IS NULL AND failed_count + 1 >= ${after} THEN ${now + ms} END
    WHERE account_id = ${accountId}`)
}

/** Longer than any time-based code is valid. */
const keptMs = 600_000

/** Takes a code, once and only while the factor is not locked. Call it in a transaction. */
export function* takeCode(accountId: number, codeHash: string, now: number): Steps<boolean> {
  yield* run(
    sql`DELETE FROM used_code WHERE account_id = ${accountId} AND used_at < ${now - keptMs}`,
  )
  const added = yield* run(sql`INSERT INTO used_code (account_id, code_hash, used_at)
    VALUES (${accountId}, ${codeHash}, ${now}) ON CONFLICT DO NOTHING`)
  if (added === 0) return false
  const open = yield* run(sql`UPDATE two_factor SET failed_count = 0, locked_until = NULL
    WHERE account_id = ${accountId} AND (locked_until IS NULL OR locked_until <= ${now})`)
  return open > 0
}

const passkeyFields = [
  ...['id', 'name', 'counter', 'accountId', 'createdAt', 'credentialId', 'publicKey'],
]

/** Passkeys, the oldest first. */
export const selectPasskeys = (where: Sql) => sql<Passkey>`
  SELECT ${selected('passkey', passkeyFields)}
  FROM passkey WHERE ${where} ORDER BY id`

export const findPasskey = (credentialId: string): Steps<Passkey | undefined> =>
  first(selectPasskeys(sql`credential_id = ${credentialId}`))

/** Undefined: it is known already. */
export function* addPasskey(passkey: NewPasskey, now: number): Steps<number | undefined> {
  const { accountId, name, credentialId, publicKey, counter, transports, aaguid } = passkey
  const { deviceType, isBackedUp } = passkey
  const added = yield* first(
    sql<{ id: number }>`INSERT INTO passkey (account_id, name, credential_id, public_key, counter,
        transports, aaguid, device_type, backed_up, created_at)
      VALUES (${accountId}, ${name}, ${credentialId}, ${publicKey}, ${counter}, ${transports},
        ${aaguid}, ${deviceType}, ${isBackedUp ? 1 : 0}, ${now})
      ON CONFLICT DO NOTHING RETURNING id`,
  )
  return added?.id
}

export function* countPasskey(
  { id, counter }: Pick<Passkey, 'id' | 'counter'>,
  next: number,
): Steps<boolean> {
  const changed = yield* run(
    sql`UPDATE passkey SET counter = ${next} WHERE id = ${id} AND counter = ${counter}`,
  )
  return changed > 0
}

export function* removePasskey(accountId: number, id: number): Steps<boolean> {
  return (yield* run(sql`DELETE FROM passkey WHERE account_id = ${accountId} AND id = ${id}`)) > 0
}
