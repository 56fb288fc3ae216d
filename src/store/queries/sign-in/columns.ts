import { type RawBuilder, sql } from 'kysely'
import type { SignInTable } from '../../ports/sign-in.ts'

/** What of each table can be read and written: names that reach a statement come from here only. */
export const signInColumns: Readonly<Record<SignInTable, readonly string[]>> = {
  account: [
    'id',
    'email',
    'name',
    'email_verified',
    'two_factor_enabled',
    'created_at',
    'updated_at',
  ],
  credential: [
    'id',
    'account_id',
    'provider',
    'subject',
    'password_hash',
    'created_at',
    'updated_at',
  ],
  session: [
    ...['id', 'account_id', 'token_hash', 'expires_at', 'created_at', 'updated_at'],
    ...['address', 'user_agent'],
  ],
  verification: ['id', 'identifier', 'value', 'expires_at', 'created_at', 'updated_at'],
  two_factor: [
    ...['id', 'account_id', 'secret', 'backup_codes', 'verified', 'failed_count', 'locked_until'],
  ],
  passkey: [
    ...['id', 'account_id', 'name', 'public_key', 'credential_id', 'counter', 'device_type'],
    ...['backed_up', 'transports', 'created_at', 'aaguid'],
  ],
}

/** The column as a statement names it. Throws for one that the table does not have. */
export function named(table: SignInTable, column: string): RawBuilder<unknown> {
  if (signInColumns[table].includes(column)) return sql.ref(column)
  throw new Error(`The table ${table} has no column ${JSON.stringify(column)} for signing in.`)
}
