/** An account that may sign in: live and active. */
export interface SignInAccount {
  readonly id: number
  readonly email: string
  /** argon2id; null: it has no password. */
  readonly passwordHash: string | null
  readonly hasSecondFactor: boolean
}

export interface Identity {
  readonly provider: string
  /** The provider's subject, which never changes. */
  readonly subject: string
  readonly email: string
  /** Whether the provider has checked that the address is theirs. */
  readonly isVerified: boolean
  readonly name: string
}

/** Why an identity opens nothing: words that the console's sign-in page knows. */
export type IdentityRefusal =
  /** No account has it, and registration is closed. */
  | 'signup_disabled'
  /** An account has its address, and it is not certain that both have one owner. */
  | 'account_not_linked'
  /** Its account is disabled or was removed. */
  | 'account_disabled'

/** A session that counts: not expired, its account live and active. */
export interface StoredSession {
  readonly id: number
  readonly accountId: number
  readonly email: string
  /** Whether its address is known to be its owner's. */
  readonly isVouched: boolean
  readonly role: 'admin' | 'user'
  readonly createdAt: number
  readonly expiresAt: number
}

/** Where an account is signed in, without what its cookie holds. */
export interface SessionView {
  readonly id: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly address: string | null
  readonly userAgent: string | null
}

export interface NewSession extends Omit<SessionView, 'id' | 'createdAt'> {
  readonly accountId: number
  readonly tokenHash: string
}

/** What was begun and is to be ended soon, in another request. */
export interface Pending {
  /** A hash of what the browser holds. */
  readonly id: string
  /** Null: no account yet. It ends when the account is signed out everywhere. */
  readonly accountId: number | null
  readonly data: string
  readonly expiresAt: number
}

export interface SecondFactor {
  /** Both sealed. */
  readonly secret: string
  readonly backupCodes: string
  /** False: no code has proved yet that the owner has it. */
  readonly isOn: boolean
  /** No code is taken before; null: codes are taken. */
  readonly lockedUntil: number | null
}

export interface Passkey {
  readonly id: number
  readonly accountId: number
  readonly name: string | null
  readonly credentialId: string
  /** COSE, in base64. */
  readonly publicKey: string
  readonly counter: number
  readonly createdAt: number | null
}

export interface NewPasskey extends Omit<Passkey, 'id' | 'createdAt'> {
  readonly deviceType: string
  readonly isBackedUp: boolean
  /** How it can be asked, divided by commas. */
  readonly transports: string
  readonly aaguid: string
}

export interface WaysIn {
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
  readonly providers: readonly { readonly provider: string; readonly createdAt: number }[]
  readonly passkeys: readonly Passkey[]
}

/**
 * A password that an operator or its owner sets; all sessions of the account end. An operator's also removes its
 * passkeys and linked providers: an intruder may have added them.
 */
export interface PasswordChange {
  readonly account: string
  /** argon2id. */
  readonly passwordHash: string
  /** The actor: an e-mail, or `command line`. */
  readonly actor: string
}

export type FirstAdministrator =
  | 'created'
  /** The account was there and could not sign in with a password: now it can, as administrator. */
  | 'promoted'
  /** An administrator who can sign in is there already. */
  | 'closed'
  /** There is an account with this e-mail that has a password, or may not sign in. */
  | 'taken'
  /** There is an account with this e-mail that registered itself: it may be anybody's. */
  | 'claimed'

/** So many sessions an account has at once: another one ends its oldest. */
export const mostSessions = 100

/** So many devices an account trusts, and so many flows it has begun: another one ends its oldest. */
export const mostPending = 100

/** Signing in to the console. Each call is one transaction. */
export interface SignInStore {
  /** By its id, or by its address in any case; undefined: there is none that may sign in. */
  account(
    who: { readonly id: number } | { readonly email: string },
  ): Promise<SignInAccount | undefined>
  /** Registers a user with no balance. Undefined: the address is taken. */
  openAccount(
    account: Readonly<Record<'email' | 'name' | 'passwordHash', string>>,
  ): Promise<SignInAccount | undefined>
  /** One with the same address is linked where both sides have verified it; else `mayOpen` opens one. */
  accountOf(identity: Identity, mayOpen: boolean): Promise<SignInAccount | IdentityRefusal>
  /** Takes a provider from an account; false: it has it not, or nothing else to sign in with. */
  unlink(accountId: number, provider: string): Promise<boolean>
  waysIn(accountId: number): Promise<WaysIn>

  /** By keyed hash of the cookie's token. Read at each request of the console: cheap. */
  session(tokenHash: string, nowMs: number): Promise<StoredSession | undefined>
  sessions(accountId: number, nowMs: number): Promise<readonly SessionView[]>
  /** Forgets the account's expired ones, and the oldest of too many. */
  startSession(session: NewSession): Promise<void>
  /** Ends one session of an account (absent: all but `except`); returns how many ended. */
  endSessions(
    accountId: number,
    which: { readonly id: number } | { readonly except: number | null },
  ): Promise<number>

  /** Forgets all that is too old, and the oldest of too many of an account. */
  keepPending(pending: Pending): Promise<void>
  /** Those of an id that are not too old, the oldest first. */
  pending(id: string): Promise<readonly Pending[]>
  /** Removes all of an id and returns the oldest; of concurrent calls, one gets it. */
  takePending(id: string): Promise<Pending | undefined>

  /** Null: the account has no password, or may not sign in. */
  passwordHash(accountId: number): Promise<string | null>
  /** With an audit row. Throws `WriteRefused`: unknown account. */
  setPassword(change: PasswordChange): Promise<void>
  /** Whether an active administrator has anything to sign in with. */
  hasAdministrator(): Promise<boolean>
  /** Makes the first administrator, with an audit row. */
  makeAdministrator(email: string, passwordHash: string): Promise<FirstAdministrator>

  secondFactor(accountId: number): Promise<SecondFactor | undefined>
  /** Keeps one that is not on yet, in place of such a one; false: there is one that is on. */
  offerSecondFactor(accountId: number, secret: string, backupCodes: string): Promise<boolean>
  /** Turns on the one with this secret; false: there is another by now, or it is on. */
  turnOnSecondFactor(accountId: number, secret: string): Promise<boolean>
  /** Puts other backup codes in place of those that are named; false: they are others by now. */
  replaceBackupCodes(accountId: number, from: string, to: string): Promise<boolean>
  /** Takes a code and resets the count of wrong ones; false: it was used, or the factor is locked. */
  takeCode(accountId: number, codeHash: string): Promise<boolean>
  /** Counts a wrong code: so many in a row lock the second factor for a while. */
  noteWrongCode(
    accountId: number,
    lock: { readonly after: number; readonly ms: number },
  ): Promise<void>
  /** Forgets second factor and trusted devices. */
  removeSecondFactor(accountId: number): Promise<void>
  /** The same for an operator: ends all sessions, with an audit row. */
  resetTwoFactor(account: string, actor: string): Promise<void>

  passkey(credentialId: string): Promise<Passkey | undefined>
  /** Undefined: it is known already. */
  addPasskey(passkey: NewPasskey): Promise<number | undefined>
  /** Advances its counter; false: it has changed since it was read. */
  countPasskey(passkey: Pick<Passkey, 'id' | 'counter'>, counter: number): Promise<boolean>
  /** False: the account has none of this id. */
  removePasskey(accountId: number, id: number): Promise<boolean>

  /** Adds an audit row for something that an account did to itself. */
  note(actor: string, action: string, subject: string): Promise<void>
}
