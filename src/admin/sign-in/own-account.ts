import { isoTime } from '../../lib/format.ts'
import type { SignInRow, SignInTable } from '../../store/ports/sign-in.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import type { LibraryCall } from './call.ts'
import { counted, type Outcome, type SignInCore } from './limits.ts'
import { checkNewPassword } from './passwords.ts'
import type { SessionList, SignInProfile } from './schema.ts'
import { codeHash } from './with-password.ts'

/** What somebody who is signed in does with the own way in. */
export function createOwnAccount(core: SignInCore) {
  const { store, library, passwords, secrets, clock } = core

  const rowsOf = (table: SignInTable, accountId: number) => {
    const where = { column: 'account_id', operator: 'eq', value: accountId } as const
    return store.records.find(table, { where: [{ ...where, connector: 'AND' }], limit: 100 })
  }

  /** Asks the library for something that needs the password or a code: a guess, so it is counted. */
  async function guess(request: Request, who: SignedIn, call: LibraryCall) {
    const account = `account ${who.accountId}`
    const asking = { isKnown: true, shares: [account] }
    return counted(core, { request, account }, () =>
      passwords.inNameOf(asking, () => library.call(request, call)),
    )
  }

  const note = (who: SignedIn, action: string) => store.note(who.email, action, who.email)

  return {
    async profile({ accountId }: SignedIn): Promise<SignInProfile> {
      const [credentials, passkeys, factors] = await Promise.all([
        rowsOf('credential', accountId),
        rowsOf('passkey', accountId),
        rowsOf('two_factor', accountId),
      ])
      const { providers } = core.settings()
      const named = (id: unknown) => providers.find((one) => one.id === id)?.name ?? String(id)
      return {
        has_password: credentials.some((row) => row.password_hash !== null),
        two_factor: factors.some((row) => row.verified === 1),
        providers: credentials
          .filter(({ provider }) => provider !== 'credential')
          .map((row) => ({
            id: String(row.provider),
            name: named(row.provider),
            created_at: timeOf(row),
          })),
        passkeys: passkeys.map((row) => ({
          id: String(row.id),
          name: row.name === null ? null : String(row.name),
          created_at: timeOf(row),
        })),
      }
    },

    async sessions({ accountId, sessionId }: SignedIn): Promise<SessionList> {
      const rows = await store.sessions(accountId, clock())
      return rows.map(({ id, createdAt, expiresAt, address, userAgent }) => ({
        id: String(id),
        created_at: isoTime(createdAt),
        expires_at: isoTime(expiresAt),
        ...{ address, user_agent: userAgent },
        is_current: String(id) === sessionId,
      }))
    },

    async endSession({ accountId }: SignedIn, id: string): Promise<void> {
      const ended = /^\d{1,15}$/.test(id)
        ? await store.endSessions(accountId, { id: Number(id) })
        : 0
      if (ended === 0) throw new ApiError('not_found', `There is no session ${id}; it may be over.`)
    },

    endOthers: ({ accountId, sessionId }: SignedIn): Promise<number> =>
      store.endSessions(accountId, { except: Number(sessionId) }),

    /** All other sessions end with it. */
    async changePassword(
      request: Request,
      who: SignedIn,
      { current, wanted }: { readonly current: string; readonly wanted: string },
    ): Promise<Outcome<null>> {
      checkNewPassword(wanted, 'new_password')
      const body = { currentPassword: current, newPassword: wanted, revokeOtherSessions: true }
      const { cookies } = await guess(request, who, { path: '/change-password', body })
      await note(who, 'account.password')
      return { data: null, cookies }
    },

    async enableTwoFactor(request: Request, who: SignedIn, password: string) {
      const call = { path: '/two-factor/enable', body: { password, method: 'totp' } }
      const { data, cookies } = await guess(request, who, call)
      return { data: { totp_uri: String(data.totpURI), ...codesOf(data) }, cookies }
    },

    /** The first right code puts it in force. */
    async confirmTwoFactor(request: Request, who: SignedIn, code: string): Promise<Outcome<null>> {
      const call = { path: '/two-factor/verify-totp', body: { code } }
      const { cookies } = await guess(request, who, call)
      await store.takeCode(who.accountId, codeHash(secrets, code))
      await note(who, 'account.2fa_on')
      return { data: null, cookies }
    },

    async disableTwoFactor(
      request: Request,
      who: SignedIn,
      password: string,
    ): Promise<Outcome<null>> {
      const { cookies } = await guess(request, who, {
        path: '/two-factor/disable',
        body: { password },
      })
      await note(who, 'account.2fa_off')
      return { data: null, cookies }
    },

    async newBackupCodes(request: Request, who: SignedIn, password: string) {
      const path = '/two-factor/generate-backup-codes'
      const { data, cookies } = await guess(request, who, { path, body: { password } })
      return { data: codesOf(data), cookies }
    },

    note,
  }
}

const timeOf = ({ created_at }: SignInRow) => isoTime(Number(created_at))

const codesOf = ({ backupCodes }: { readonly backupCodes?: unknown }) => ({
  backup_codes: Array.isArray(backupCodes) ? backupCodes.map(String) : [],
})
