import type { Generated } from 'kysely'
import type { AccountColumns } from '../../resources/account.ts'

/** SQLite has no booleans: 0 or 1. */
type Flag = number

interface AccountTable extends AccountColumns {
  id: Generated<number>
  email: string
  balance_nano: number
  reserved_nano: Generated<number>
  created_at: number
  deleted_at: number | null
  name: Generated<string>
  email_verified: Generated<Flag>
  two_factor_enabled: Generated<Flag>
  updated_at: number | null
}

interface CredentialTable {
  id: Generated<number>
  account_id: number
  provider: string
  subject: string
  password_hash: string | null
  password_mark: string | null
  created_at: number
  updated_at: number
}

interface SessionTable {
  id: Generated<number>
  account_id: number
  token_hash: string
  expires_at: number
  created_at: number
  updated_at: number
  address: string | null
  user_agent: string | null
}

interface VerificationTable {
  id: Generated<number>
  identifier: string
  value: string
  expires_at: number
  created_at: number
  updated_at: number
}

interface TwoFactorTable {
  id: Generated<number>
  account_id: number
  secret: string
  backup_codes: string
  verified: Flag
  failed_count: Generated<number>
  locked_until: number | null
}

interface PasskeyTable {
  id: Generated<number>
  account_id: number
  name: string | null
  public_key: string
  credential_id: string
  counter: number
  device_type: string
  backed_up: Flag
  transports: string | null
  created_at: number | null
  aaguid: string | null
}

interface UsedCodeTable {
  account_id: number
  code_hash: string
  used_at: number
}

/** The tables of signing in as the query builder knows them; the schema is what makes them. */
export interface Tables {
  account: AccountTable
  credential: CredentialTable
  session: SessionTable
  verification: VerificationTable
  two_factor: TwoFactorTable
  passkey: PasskeyTable
  used_code: UsedCodeTable
}
