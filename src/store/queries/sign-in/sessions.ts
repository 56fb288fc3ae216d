import {
  mostSessions,
  type NewSession,
  type Pending,
  type SessionView,
  type SignInStore,
  type StoredSession,
} from '../../ports/sign-in.ts'
import { all, build, first, fixed, insert, run, type Steps } from '../steps.ts'

/** Asked for each request of the console. */
const sessionOf = fixed(({ tokenHash, nowMs }: { tokenHash: string; nowMs: number }) =>
  build
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([
      'session.id as id',
      'account.id as accountId',
      'account.email as email',
      'account.role as role',
      'account.email_verified as emailVerified',
      'session.created_at as createdAt',
      'session.expires_at as expiresAt',
    ])
    .where('session.token_hash', '=', tokenHash)
    .where('session.expires_at', '>', nowMs)
    .where('account.status', '=', 'active')
    .where('account.deleted_at', 'is', null),
)

export function* findSession(tokenHash: string, nowMs: number): Steps<StoredSession | undefined> {
  const row = yield* first(sessionOf({ tokenHash, nowMs }))
  if (row === undefined) return undefined
  const { emailVerified, ...session } = row
  return { ...session, isVouched: emailVerified === 1 }
}

const ofAccount = (accountId: number) =>
  build.selectFrom('session').where('account_id', '=', accountId).orderBy('id', 'desc')

export const listSessions = (accountId: number, nowMs: number): Steps<readonly SessionView[]> =>
  all(
    ofAccount(accountId)
      .select(['id', 'created_at as createdAt', 'expires_at as expiresAt', 'address'])
      .select('user_agent as userAgent')
      .where('expires_at', '>', nowMs)
      .limit(mostSessions),
  )

/** Call it in a transaction. */
export function* startSession(session: NewSession, now: number): Steps<void> {
  const { accountId, tokenHash, expiresAt, address, userAgent } = session
  const times = { created_at: now, updated_at: now, expires_at: expiresAt }
  const browser = { address, user_agent: userAgent }
  const row = { account_id: accountId, token_hash: tokenHash, ...times, ...browser }
  yield* insert('session', row)
  const own = build.deleteFrom('session').where('account_id', '=', accountId)
  yield* run(own.where('expires_at', '<=', now))
  const tooMany = ofAccount(accountId).select('id').limit(1).offset(mostSessions)
  yield* run(own.where('id', '<=', tooMany))
}

export function endSessions(
  accountId: number,
  which: Parameters<SignInStore['endSessions']>[1],
): Steps<number> {
  const own = build.deleteFrom('session').where('account_id', '=', accountId)
  if ('id' in which) return run(own.where('id', '=', which.id))
  return run(which.except === null ? own : own.where('id', '!=', which.except))
}

/** Signs an account out everywhere, and out of what it was about to do. */
export function* endSessionsOf(accountId: number): Steps<void> {
  yield* endSessions(accountId, { except: null })
  yield* forgetPending(accountId)
}

/** Forgets what an account was about to do, and which devices it trusts. */
export function* forgetPending(accountId: number): Steps<void> {
  const value = String(accountId)
  yield* run(
    build
      .deleteFrom('verification')
      .where(({ or, eb }) => or([eb('value', '=', value), eb('value', 'like', `${value} %`)])),
  )
}

/** Call it in a transaction. */
export function* keepPending(pending: Pending, now: number): Steps<void> {
  const { id, accountId, data, expiresAt } = pending
  yield* run(build.deleteFrom('verification').where('expires_at', '<=', now))
  const value = [accountId ?? 0, ...(data === '' ? [] : [data])].join(' ')
  const times = { created_at: now, updated_at: now, expires_at: expiresAt }
  yield* insert('verification', { identifier: id, value, ...times })
}

export function* findPending(id: string, now: number): Steps<readonly Pending[]> {
  const rows = yield* all(
    build
      .selectFrom('verification')
      .selectAll()
      .where('identifier', '=', id)
      .where('expires_at', '>', now)
      .orderBy('id'),
  )
  return rows.map(({ value, expires_at: expiresAt }) => {
    // A set-up code stood for itself formerly.
    const [, owner = '0', data = ''] = /^(\d{1,15})(?: (.*))?$/s.exec(value) ?? ['', '0', value]
    return { id, accountId: Number(owner) || null, data, expiresAt }
  })
}

/** Of several who take it at once, one removes it. Call it in a transaction. */
export function* takePending(id: string, now: number): Steps<Pending | undefined> {
  const [oldest] = yield* findPending(id, now)
  const removed = yield* run(build.deleteFrom('verification').where('identifier', '=', id))
  return removed > 0 ? oldest : undefined
}
