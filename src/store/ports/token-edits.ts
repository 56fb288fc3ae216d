import type { SomeTokenSettings } from '../../resources/token.ts'
import type { TokenView, TokenWrite } from './admin.ts'
import type { Edit } from './edits.ts'
import type { Spent } from './records.ts'

/** A token as whoever is to change it sees it. */
export interface EditableToken extends TokenView {
  readonly accountId: number
  /** Tells its editable states apart. */
  readonly revision: string
  /** What was spent with it by now. */
  readonly spent: Spent
  /** The last UTC day on which it was used, `2026-11-21`; null: never. */
  readonly lastUsedDay: string | null
}

/** A token that is to be made; without a name it gets the next free one: `token-1` … */
export interface NewToken extends Omit<TokenWrite, 'account' | 'name' | 'status'> {
  readonly accountId: number
  readonly name?: string
}

/** What may be changed of a token: absent fields stay as they are. */
export interface TokenFields extends SomeTokenSettings {}

/** Which token, and whose it must be: with another owner it is not there. */
export interface OwnedToken {
  readonly id: number
  readonly accountId: number
}

/** For how long a removed token can be brought back. */
export const tokenUndoMs = 10 * 60_000

/** Tokens that an account may have at most; a program gone wild would make them without end. */
export const maxTokensOfAccount = 1_000

/**
 * Changes of tokens by hand. They throw `NotThere` (also for a token of another account),
 * `NameTaken`, `Conflict`, `GroupClosed`, and `WriteRefused` for a group that is not there.
 */
export interface TokenEdits {
  findToken(token: OwnedToken): Promise<EditableToken | undefined>
  /** Resolves to its id. */
  addToken(token: NewToken, edit: Edit): Promise<number>
  setToken(token: OwnedToken, fields: TokenFields, edit: Edit): Promise<void>
  removeToken(token: OwnedToken, edit: Edit): Promise<void>
  /** Brings back what the same actor removed less than `tokenUndoMs` ago. */
  restoreToken(token: OwnedToken, edit: Edit): Promise<void>
}
