import type { Database } from 'bun:sqlite'
import type { Clock } from '../../../lib/clock.ts'
import type { SessionView, SignInStore, StoredSession } from '../../ports/sign-in.ts'
import { addAudit } from '../audit.ts'
import type { Queries } from '../queries.ts'
import {
  changePassword,
  findPasswordHash,
  forgetTwoFactor,
  hasAdministrator,
  makeAdministrator,
} from './passwords.ts'
import { createSignInRecords } from './records.ts'

interface SignInParts {
  readonly db: Database
  readonly queries: Queries
  readonly clock: Clock
  /** Runs work on the database; its errors come out explained. */
  readonly access: <Result>(work: () => Result) => Promise<Result>
}

const findSession = `
SELECT session.id, account.id AS accountId, account.email, account.role,
  session.created_at AS createdAt, session.expires_at AS expiresAt
FROM session JOIN account ON account.id = session.account_id
WHERE session.token_hash = ? AND session.expires_at > ?
  AND account.status = 'active' AND account.deleted_at IS NULL`

/** Signing in, on SQLite. */
export function createSignInStore({ db, queries, clock, access }: SignInParts): SignInStore {
  const { build, all, run } = queries
  const byToken = db.prepare<StoredSession, [string, number]>(findSession)
  const setPassword = db.transaction(changePassword)
  const resetTwoFactor = db.transaction(forgetTwoFactor)
  const setUp = db.transaction(makeAdministrator)

  function listSessions(accountId: number, nowMs: number): SessionView[] {
    return all(
      build
        .selectFrom('session')
        .select(['id', 'created_at as createdAt', 'expires_at as expiresAt', 'address'])
        .select('user_agent as userAgent')
        .where('account_id', '=', accountId)
        .where('expires_at', '>', nowMs)
        .orderBy('id', 'desc')
        .limit(100),
    )
  }

  return {
    records: createSignInRecords({ db, access }),
    session: (tokenHash, nowMs) => access(() => byToken.get(tokenHash, nowMs) ?? undefined),
    sessions: (accountId, nowMs) => access(() => listSessions(accountId, nowMs)),
    endSessions: (accountId, which) =>
      access(() => {
        const own = build.deleteFrom('session').where('account_id', '=', accountId)
        if ('id' in which) return run(own.where('id', '=', which.id))
        return run(which.except === null ? own : own.where('id', '!=', which.except))
      }),
    passwordHash: (accountId) => access(() => findPasswordHash(queries, accountId)),
    hasAdministrator: () => access(() => hasAdministrator(queries)),
    makeAdministrator: (email, passwordHash) =>
      access(() => setUp.immediate(queries, { email, passwordHash }, clock())),
    setPassword: (change) => access(() => setPassword.immediate(queries, change, clock())),
    resetTwoFactor: (account, actor) =>
      access(() => resetTwoFactor.immediate(queries, { account, actor }, clock())),
    note: (actor, action, subject) =>
      access(() => addAudit(queries, { createdAt: clock(), actor, action, subject, detail: {} })),
  }
}
