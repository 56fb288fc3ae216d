import type { Clock } from '../../../lib/clock.ts'
import {
  mostSessions,
  type SessionView,
  type SignInStore,
  type StoredSession,
} from '../../ports/sign-in.ts'
import { addAudit } from '../audit.ts'
import { all, build, type Engine, first, fixed, run, type Steps } from '../steps.ts'
import {
  changePassword,
  findPasswordHash,
  forgetTwoFactor,
  hasAdministrator,
  makeAdministrator,
} from './passwords.ts'
import { createSignInRecords } from './records.ts'

interface SignInParts {
  readonly engine: Engine
  readonly clock: Clock
}

/** Signing in. */
export function createSignInStore({ engine, clock }: SignInParts): SignInStore {
  const { read, write } = engine
  return {
    records: createSignInRecords(engine),
    session: (tokenHash, nowMs) => read(() => findSession(tokenHash, nowMs)),
    sessions: (accountId, nowMs) => read(() => listSessions(accountId, nowMs)),
    endSessions: (accountId, which) => write(() => endSessions(accountId, which)),
    passwordHash: (accountId) => read(() => findPasswordHash(accountId)),
    hasAdministrator: () => read(hasAdministrator),
    makeAdministrator: (email, passwordHash) =>
      write(() => makeAdministrator({ email, passwordHash }, clock())),
    setPassword: (change) => write(() => changePassword(change, clock())),
    takeCode: (accountId, codeHash) => write(() => takeCode(accountId, codeHash, clock())),
    resetTwoFactor: (account, actor) => write(() => forgetTwoFactor({ account, actor }, clock())),
    note: (actor, action, subject) =>
      write(() => addAudit({ createdAt: clock(), actor, action, subject, detail: {} })),
  }
}

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

function* findSession(tokenHash: string, nowMs: number): Steps<StoredSession | undefined> {
  const row = yield* first(sessionOf({ tokenHash, nowMs }))
  if (row === undefined) return undefined
  const { emailVerified, ...session } = row
  return { ...session, isVouched: emailVerified === 1 }
}

const listSessions = (accountId: number, nowMs: number): Steps<readonly SessionView[]> =>
  all(
    build
      .selectFrom('session')
      .select(['id', 'created_at as createdAt', 'expires_at as expiresAt', 'address'])
      .select('user_agent as userAgent')
      .where('account_id', '=', accountId)
      .where('expires_at', '>', nowMs)
      .orderBy('id', 'desc')
      .limit(mostSessions),
  )

function endSessions(
  accountId: number,
  which: Parameters<SignInStore['endSessions']>[1],
): Steps<number> {
  const own = build.deleteFrom('session').where('account_id', '=', accountId)
  if ('id' in which) return run(own.where('id', '=', which.id))
  return run(which.except === null ? own : own.where('id', '!=', which.except))
}

/** Longer than any code of a moment is taken. */
const keptMs = 600_000

/** Takes a code: of several who use it at once, one gets it. Call it in a transaction. */
function* takeCode(accountId: number, codeHash: string, now: number): Steps<boolean> {
  const own = build.deleteFrom('used_code').where('account_id', '=', accountId)
  yield* run(own.where('used_at', '<', now - keptMs))
  const row = { account_id: accountId, code_hash: codeHash, used_at: now }
  const taken = build.insertInto('used_code').values(row)
  const added = taken.onConflict((conflict) => conflict.doNothing()).returning('used_at')
  return (yield* first(added)) !== undefined
}
