/** The tables that signing in works on. Of `account` only rows that may sign in: live and active. */
export type SignInTable =
  | 'account'
  | 'credential'
  | 'session'
  | 'verification'
  | 'two_factor'
  | 'passkey'

/** A column of a row: text, a whole number (times in milliseconds, flags 0 or 1), or nothing. */
export type SignInValue = string | number | null

/** A row, or the columns of it that are to be written. */
export interface SignInRow {
  readonly [column: string]: SignInValue
}

export type SignInOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'not_in'

/**
 * One condition. All with `AND` must hold, and of those with `OR` at least one. An e-mail address of
 * an account is compared without regard to case.
 */
export interface SignInCondition {
  readonly column: string
  readonly operator: SignInOperator
  /** A list for `in` and `not_in`. */
  readonly value: SignInValue | readonly SignInValue[]
  readonly connector: 'AND' | 'OR'
}

/** Which rows, how many, and in which order; without an order the oldest first. */
export interface SignInSearch {
  readonly where: readonly SignInCondition[]
  readonly limit: number
  readonly offset?: number
  readonly order?: { readonly column: string; readonly descending: boolean }
}

/**
 * Rows as the sign-in library reads and writes them. Each call is one transaction. An unknown column
 * is a bug and throws.
 */
export interface SignInRecords {
  /** Returns the row with its id. An account that is made is a user's, with a balance of 0. */
  create(table: SignInTable, row: SignInRow): Promise<SignInRow>
  find(table: SignInTable, search: SignInSearch): Promise<readonly SignInRow[]>
  count(table: SignInTable, where: readonly SignInCondition[]): Promise<number>
  /** Changes all that fit; returns how many. */
  update(table: SignInTable, where: readonly SignInCondition[], values: SignInRow): Promise<number>
  /** Changes one at most, adding `increments` to what is there; undefined: none fits. */
  updateOne(
    table: SignInTable,
    where: readonly SignInCondition[],
    values: SignInRow,
    increments?: { readonly [column: string]: number },
  ): Promise<SignInRow | undefined>
  /** Removes all that fit; returns how many. Accounts are never removed here. */
  remove(table: SignInTable, where: readonly SignInCondition[]): Promise<number>
  /** Removes one at most and returns it: of several who ask at once, one gets it. */
  consume(table: SignInTable, where: readonly SignInCondition[]): Promise<SignInRow | undefined>
}

/** A session that counts: not expired, its account live and active. */
export interface StoredSession {
  readonly id: number
  readonly accountId: number
  readonly email: string
  /** Whether its address is known to be its owner's. */
  readonly isVouched: boolean
  readonly role: 'admin' | 'user'
  /** When they signed in. */
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

/** A password that an operator sets; all sessions of the account end. */
export interface PasswordChange {
  readonly account: string
  /** argon2id. */
  readonly passwordHash: string
  /** Who does it: an e-mail, or `command line`. */
  readonly actor: string
}

/** What becomes of the first administrator. */
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

/** Signing in to the console: what the library keeps, and what the console itself asks. */
export interface SignInStore {
  readonly records: SignInRecords
  /** By keyed hash of the cookie's token. Read at each request of the console: cheap. */
  session(tokenHash: string, nowMs: number): Promise<StoredSession | undefined>
  sessions(accountId: number, nowMs: number): Promise<readonly SessionView[]>
  /** Ends one session of an account (absent: all but `except`); returns how many ended. */
  endSessions(
    accountId: number,
    which: { readonly id: number } | { readonly except: number | null },
  ): Promise<number>
  /** Null: the account has no password, or may not sign in. */
  passwordHash(accountId: number): Promise<string | null>
  /** Whether an active administrator has anything to sign in with. */
  hasAdministrator(): Promise<boolean>
  /** Makes the first administrator, with an audit row. */
  makeAdministrator(email: string, passwordHash: string): Promise<FirstAdministrator>
  /** With an audit row. Throws `WriteRefused`: unknown account. */
  setPassword(change: PasswordChange): Promise<void>
  /** Takes a code of the second factor, by its hash; false: it was used in the last minutes. */
  takeCode(accountId: number, codeHash: string): Promise<boolean>
  /** Forgets second factor and trusted devices, ends all sessions; with an audit row. */
  resetTwoFactor(account: string, actor: string): Promise<void>
  /** Adds an audit row for something that an account did to itself. */
  note(actor: string, action: string, subject: string): Promise<void>
}
