import {
  mostPending,
  mostSessions,
  type NewSession,
  type Pending,
  type SessionView,
  type SignInStore,
  type StoredSession,
} from '../../ports/sign-in.ts'
import { selected } from '../../schema/columns.ts'
import { sql } from '../../schema/sql.ts'
import { all, first, insert, run, type Steps } from '../steps.ts'

type SessionRow = Omit<StoredSession, 'isVouched'> & { readonly emailVerified: number }

const sessionOf = (tokenHash: string, nowMs: number) => sql<SessionRow>`
  SELECT session.id, account.id AS "accountId", account.email, account.role,
    account.email_verified AS "emailVerified", session.created_at AS "createdAt",
    session.expires_at AS "expiresAt"
  FROM session JOIN account ON account.id = session.account_id
  WHERE session.token_hash = ${tokenHash} AND session.expires_at > ${nowMs}
    AND account.status = 'active' AND account.deleted_at IS NULL`

export function* findSession(tokenHash: string, nowMs: number): Steps<StoredSession | undefined> {
  const row = yield* first(sessionOf(tokenHash, nowMs))
  if (row === undefined) return undefined
  const { emailVerified, ...session } = row
  return { ...session, isVouched: emailVerified === 1 }
}

const sessionFields = ['id', 'createdAt', 'expiresAt', 'address', 'userAgent']

export const listSessions = (accountId: number, nowMs: number): Steps<readonly SessionView[]> =>
  all(
    sql<SessionView>`SELECT ${selected('session', sessionFields)} FROM session
      WHERE account_id = ${accountId} AND expires_at > ${nowMs}
      ORDER BY id DESC LIMIT ${mostSessions}`,
  )

/** Call it in a transaction. */
export function* startSession(session: NewSession, now: number): Steps<void> {
  const { accountId, tokenHash, expiresAt, address, userAgent } = session
  yield* insert('session', {
    ...{ account_id: accountId, token_hash: tokenHash, address, user_agent: userAgent },
    ...{ created_at: now, updated_at: now, expires_at: expiresAt },
  })
  const own = sql`DELETE FROM session WHERE account_id = ${accountId}`
  yield* run(sql`${own} AND expires_at <= ${now}`)
  yield* run(sql`${own} AND id <= (SELECT id FROM session WHERE account_id = ${accountId}
    ORDER BY id DESC LIMIT 1 OFFSET ${mostSessions})`)
}

export function endSessions(
  accountId: number,
  which: Parameters<SignInStore['endSessions']>[1],
): Steps<number> {
  const own = sql`DELETE FROM session WHERE account_id = ${accountId}`
  if ('id' in which) return run(sql`${own} AND id = ${which.id}`)
  return run(which.except === null ? own : sql`${own} AND id <> ${which.except}`)
}

/** Ends all sessions and pending sign-ins of an account. */
export function* endSessionsOf(accountId: number): Steps<void> {
  yield* endSessions(accountId, { except: null })
  yield* forgetPending(accountId)
}

/** Deletes the pending sign-ins and trusted devices of an account. */
export function* forgetPending(accountId: number): Steps<void> {
  yield* run(sql`DELETE FROM verification WHERE ${trustedBy(accountId)}`)
  yield* run(sql`DELETE FROM verification WHERE ${begunBy(accountId)}`)
}

/** A value is the account's id, followed by a space and data where there is any: trusted devices have none. */
const trustedBy = (accountId: number) => sql`value = ${String(accountId)}`
const begunBy = (accountId: number) =>
  sql`value >= ${`${accountId} `} AND value < ${`${accountId}!`}`

/** Call it in a transaction. */
export function* keepPending(pending: Pending, now: number): Steps<void> {
  const { id, accountId, data, expiresAt } = pending
  yield* run(sql`DELETE FROM verification WHERE expires_at <= ${now}`)
  const value = [accountId ?? 0, ...(data === '' ? [] : [data])].join(' ')
  const times = { created_at: now, updated_at: now, expires_at: expiresAt }
  yield* insert('verification', { identifier: id, value, ...times })
  if (accountId === null) return
  const own = data === '' ? trustedBy(accountId) : begunBy(accountId)
  yield* run(sql`DELETE FROM verification WHERE ${own} AND id <= (
    SELECT id FROM verification WHERE ${own} ORDER BY id DESC LIMIT 1 OFFSET ${mostPending})`)
}

export function* findPending(id: string, now: number): Steps<readonly Pending[]> {
  const rows = yield* all(
    sql<{ value: string; expires_at: number }>`SELECT value, expires_at FROM verification
      WHERE identifier = ${id} AND expires_at > ${now} ORDER BY id`,
  )
  return rows.map(({ value, expires_at: expiresAt }) => {
    // Formerly a set-up code was the whole value.
    const [, owner = '0', data = ''] = /^(\d{1,15})(?: (.*))?$/s.exec(value) ?? ['', '0', value]
    return { id, accountId: Number(owner) || null, data, expiresAt }
  })
}

/** Of concurrent calls one removes it. Call it in a transaction. */
export function* takePending(id: string, now: number): Steps<Pending | undefined> {
  const [oldest] = yield* findPending(id, now)
  const removed = yield* run(sql`DELETE FROM verification WHERE identifier = ${id}`)
  return removed > 0 ? oldest : undefined
}
