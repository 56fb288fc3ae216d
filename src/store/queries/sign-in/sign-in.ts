import type { Clock } from '../../../lib/clock.ts'
import type { SignInStore } from '../../ports/sign-in.ts'
import type { Engine, Steps } from '../steps.ts'
import * as factors from './factors.ts'
import * as passwords from './passwords.ts'
import * as sessions from './sessions.ts'
import * as ways from './ways-in.ts'

export function createSignInStore(engine: Engine, clock: Clock): SignInStore {
  const by =
    (run: Engine['read']) =>
    <Asked extends unknown[], Result>(steps: (...asked: Asked) => Steps<Result>) =>
    (...asked: Asked) =>
      run(() => steps(...asked))
  const [read, write] = [by(engine.read), by(engine.write)]
  /** Of steps whose last parameter is the time. */
  const writeAt =
    <Asked extends unknown[], Result>(steps: (...asked: [...Asked, number]) => Steps<Result>) =>
    (...asked: Asked) =>
      engine.write(() => steps(...asked, clock()))

  return {
    account: read(passwords.findAccount),
    openAccount: writeAt(ways.openAccount),
    accountOf: writeAt(ways.findAccountOf),
    unlink: write(ways.unlink),
    waysIn: read(ways.listWaysIn),

    session: read(sessions.findSession),
    sessions: read(sessions.listSessions),
    startSession: writeAt(sessions.startSession),
    endSessions: write(sessions.endSessions),

    keepPending: writeAt(sessions.keepPending),
    pending: (id) => read(sessions.findPending)(id, clock()),
    takePending: writeAt(sessions.takePending),

    passwordHash: async (id) => (await read(passwords.findAccount)({ id }))?.passwordHash ?? null,
    setPassword: writeAt(passwords.changePassword),
    hasAdministrator: read(passwords.hasAdministrator),
    makeAdministrator: writeAt(passwords.makeAdministrator),

    secondFactor: read(factors.findSecondFactor),
    offerSecondFactor: write(factors.offerSecondFactor),
    turnOnSecondFactor: write(factors.turnOnSecondFactor),
    replaceBackupCodes: write(factors.replaceBackupCodes),
    takeCode: writeAt(factors.takeCode),
    noteWrongCode: writeAt(factors.noteWrongCode),
    removeSecondFactor: write(factors.removeSecondFactor),
    resetTwoFactor: writeAt(passwords.resetSecondFactor),

    passkey: read(factors.findPasskey),
    addPasskey: writeAt(factors.addPasskey),
    countPasskey: write(factors.countPasskey),
    removePasskey: write(factors.removePasskey),

    note: writeAt(passwords.note),
  }
}
