import type { SignInTable } from '../../store/ports/sign-in.ts'

/** What holds a model of the sign-in library: our table, and our columns by the library's fields. */
export interface Model {
  readonly table: SignInTable
  readonly columns: { readonly [field: string]: string }
}

const times = { createdAt: 'created_at', updatedAt: 'updated_at' }

/**
 * The library's models. Fields that are not named here are not kept: pictures, and the tokens of an
 * OIDC provider, which nobody needs after the sign-in.
 */
export const models: { readonly [model: string]: Model } = {
  user: {
    table: 'account',
    columns: {
      ...{ id: 'id', email: 'email', name: 'name', ...times },
      ...{ emailVerified: 'email_verified', twoFactorEnabled: 'two_factor_enabled' },
    },
  },
  account: {
    table: 'credential',
    columns: {
      ...{ id: 'id', userId: 'account_id', providerId: 'provider', accountId: 'subject' },
      ...{ password: 'password_hash', ...times },
    },
  },
  session: {
    table: 'session',
    columns: {
      ...{ id: 'id', userId: 'account_id', token: 'token_hash', expiresAt: 'expires_at' },
      ...{ ipAddress: 'address', userAgent: 'user_agent', ...times },
    },
  },
  verification: {
    table: 'verification',
    columns: {
      ...{ id: 'id', identifier: 'identifier', value: 'value', expiresAt: 'expires_at' },
      ...times,
    },
  },
  twoFactor: {
    table: 'two_factor',
    columns: {
      ...{ id: 'id', userId: 'account_id', secret: 'secret', backupCodes: 'backup_codes' },
      ...{ verified: 'verified', failedVerificationCount: 'failed_count' },
      lockedUntil: 'locked_until',
    },
  },
  passkey: {
    table: 'passkey',
    columns: {
      ...{ id: 'id', userId: 'account_id', name: 'name', publicKey: 'public_key' },
      ...{ credentialID: 'credential_id', counter: 'counter', deviceType: 'device_type' },
      ...{ backedUp: 'backed_up', transports: 'transports', createdAt: 'created_at' },
      aaguid: 'aaguid',
    },
  },
}

/** Fields that are times for the library; we keep milliseconds. */
export const timeFields: ReadonlySet<string> = new Set([
  ...['createdAt', 'updatedAt', 'expiresAt', 'lockedUntil'],
])

/** Fields that are true or false for the library; we keep 1 or 0. */
export const flagFields: ReadonlySet<string> = new Set([
  ...['emailVerified', 'twoFactorEnabled', 'verified', 'backedUp'],
])
