import type { Clock } from '../../../lib/clock.ts'
import type { SignInStore } from '../../ports/sign-in.ts'
import { addAudit } from '../changes.ts'
import type { Engine } from '../steps.ts'
import * as factors from './factors.ts'
import * as passwords from './passwords.ts'
import * as sessions from './sessions.ts'
import * as ways from './ways-in.ts'

interface SignInParts {
  readonly engine: Engine
  readonly clock: Clock
}

/** Signing in. */
export function createSignInStore({ engine, clock }: SignInParts): SignInStore {
  const { read, write } = engine
  return {
    account: (who) => read(() => passwords.findAccount(who)),
    openAccount: (account) => write(() => ways.openAccount(account, clock())),
    accountOf: (identity, mayOpen) => write(() => ways.findAccountOf(identity, mayOpen, clock())),
    unlink: (accountId, provider) => write(() => ways.unlink(accountId, provider)),
    waysIn: (accountId) => read(() => ways.listWaysIn(accountId)),

    session: (tokenHash, nowMs) => read(() => sessions.findSession(tokenHash, nowMs)),
    sessions: (accountId, nowMs) => read(() => sessions.listSessions(accountId, nowMs)),
    startSession: (session) => write(() => sessions.startSession(session, clock())),
    endSessions: (accountId, which) => write(() => sessions.endSessions(accountId, which)),

    keepPending: (pending) => write(() => sessions.keepPending(pending, clock())),
    pending: (id) => read(() => sessions.findPending(id, clock())),
    takePending: (id) => write(() => sessions.takePending(id, clock())),

    passwordHash: async (id) =>
      (await read(() => passwords.findAccount({ id })))?.passwordHash ?? null,
    setPassword: (change) => write(() => passwords.changePassword(change, clock())),
    hasAdministrator: () => read(passwords.hasAdministrator),
    makeAdministrator: (email, passwordHash) =>
      write(() => passwords.makeAdministrator({ email, passwordHash }, clock())),

    secondFactor: (accountId) => read(() => factors.findSecondFactor(accountId)),
    offerSecondFactor: (accountId, secret, backupCodes) =>
      write(() => factors.offerSecondFactor(accountId, secret, backupCodes)),
    turnOnSecondFactor: (accountId) => write(() => factors.turnOnSecondFactor(accountId)),
    replaceBackupCodes: (accountId, from, to) =>
      write(() => factors.replaceBackupCodes(accountId, from, to)),
    takeCode: (accountId, codeHash) => write(() => factors.takeCode(accountId, codeHash, clock())),
    noteWrongCode: (accountId, lock) =>
      write(() => factors.noteWrongCode(accountId, lock, clock())),
    removeSecondFactor: (accountId) => write(() => factors.removeSecondFactor(accountId)),
    resetTwoFactor: (account, actor) =>
      write(() => passwords.resetSecondFactor(account, actor, clock())),

    passkey: (credentialId) => read(() => factors.findPasskey(credentialId)),
    addPasskey: (passkey) => write(() => factors.addPasskey(passkey, clock())),
    countPasskey: (passkey, counter) => write(() => factors.countPasskey(passkey, counter)),
    removePasskey: (accountId, id) => write(() => factors.removePasskey(accountId, id)),

    note: (actor, action, subject) =>
      write(() => addAudit({ createdAt: clock(), actor, action, subject, detail: {} })),
  }
}
