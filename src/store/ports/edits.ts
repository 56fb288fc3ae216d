import {
  type AccountFields,
  type AccountWrite,
  type AuditEntry,
  type ChannelWrite,
  type GroupWrite,
  type StoredAccount,
  type TokenFields,
  type TokenView,
  type TokenWrite,
  WriteRefused,
} from './admin.ts'
import type { ChannelRow, GroupRow, PriceRow, PriceSetting } from './catalog.ts'
import type { Spent } from './records.ts'

/** What every change by hand says beside what changes. */
export interface Edit {
  /** Who does it: an e-mail, or `command line`. */
  readonly actor: string
  /**
   * The `revision` that whoever changes has seen; when the present one is another, nothing is changed
   * and `Conflict` is thrown. Absent: whatever it is.
   */
  readonly revision?: string | undefined
}

/** Tokens of a group or an account are counted no further: there may be a million. */
export const mostTokensCounted = 10_000

/** Somebody else has changed it since it was looked at; nothing was changed. */
export class Conflict extends WriteRefused {
  override readonly name = 'Conflict'
}

/** What is to be changed is not there (any more), or belongs to somebody else. */
export class NotThere extends WriteRefused {
  override readonly name = 'NotThere'
}

/** A token can't come back: its group is not there any more. */
export class GroupGone extends NotThere {}

/** A name that another one has. */
export class NameTaken extends WriteRefused {
  override readonly name = 'NameTaken'
}

/** What is changed names something that is not there: a group without that channel, a token without its group. */
export class NotKnown extends WriteRefused {
  readonly kind: 'channel' | 'group'

  constructor(kind: NotKnown['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A token's group is for other accounts. */
export class GroupClosed extends WriteRefused {
  override readonly name = 'GroupClosed'
}

/** The owner of a token wants more for it than an operator has set. */
export class SetByOperator extends WriteRefused {
  override readonly name = 'SetByOperator'
}

/** One more than there may be. */
export class TooMany extends WriteRefused {
  override readonly name = 'TooMany'
}

/** What is to be removed is needed by something else. */
export class InUse extends WriteRefused {
  override readonly name = 'InUse'
}

/** An account as whoever is to change it sees it. */
export interface EditableAccount extends StoredAccount {
  /** Counted to `mostTokensCounted` at most. */
  readonly tokenCount: number
  /** Tells its editable states apart; a balance is none. */
  readonly revision: string
}

/**
 * Changes of accounts by hand. They throw `NotThere`, `NameTaken`, `Conflict`, and `InUse` where the
 * last administrator would be gone.
 */
export interface AccountEdits {
  findAccount(id: number): Promise<EditableAccount | undefined>
  /** Makes an account with its opening balance; resolves to its id. */
  addAccount(account: AccountWrite, edit: Edit): Promise<number>
  setAccount(id: number, fields: AccountFields, edit: Edit): Promise<void>
  /** Marks it and its tokens as deleted, and signs it out. Its records stay. */
  removeAccount(id: number, edit: Edit): Promise<void>
}

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
interface TokenEdits {
  findToken(token: OwnedToken): Promise<EditableToken | undefined>
  /** Resolves to its id. */
  addToken(token: NewToken, edit: Edit): Promise<number>
  setToken(token: OwnedToken, fields: TokenFields, edit: Edit): Promise<void>
  removeToken(token: OwnedToken, edit: Edit): Promise<void>
  /** Brings back what the same actor removed less than `tokenUndoMs` ago. */
  restoreToken(token: OwnedToken, edit: Edit): Promise<void>
}

/** A channel as people edit it. */
export interface EditableChannel extends ChannelRow {
  readonly revision: string
  readonly createdAt: number
}

/** A group as people edit it. */
export interface EditableGroup extends GroupRow {
  readonly revision: string
  readonly createdAt: number
  /** Live tokens, counted to `mostTokensCounted` at most. */
  readonly tokenCount: number
}

/** Channels, groups and the prices in force, as one moment knew them. */
export interface EditableCatalog {
  readonly channels: readonly EditableChannel[]
  readonly groups: readonly EditableGroup[]
  readonly prices: readonly PriceRow[]
}

/** A channel that is made by hand; it brings its keys. */
export type NewChannel = ChannelWrite & { readonly keysSealed: Uint8Array }

/** Changes of channels by hand. */
interface ChannelEdits {
  /** What channels and groups are, with the revisions that changes of them name. */
  editableCatalog(): Promise<EditableCatalog>
  /** Returns its id. Throws `NameTaken`. */
  addChannel(channel: NewChannel, edit: Edit): Promise<number>
  /**
   * Makes a channel what it is to be; its name may be another one. The audit row says what of it has
   * changed, of keys and proxy only that they have. Throws `NotThere`, `Conflict`, `NameTaken`.
   */
  setChannel(id: number, channel: ChannelWrite, edit: Edit): Promise<void>
  /** Throws `NotThere`, `Conflict`; `InUse` while groups name it, unless it is taken out of them. */
  removeChannel(id: number, edit: RemoveChannel): Promise<void>
  /** Ends all cooling of a channel that is stored; returns how much there was. */
  recoverChannel(id: number, edit: Edit): Promise<number>
}

interface RemoveChannel extends Edit {
  readonly takeOutOfGroups: boolean
}

/** Changes of groups by hand; `editableCatalog` of `ChannelEdits` shows them. */
interface GroupEdits {
  /** Returns its id. Throws `NameTaken`; `WriteRefused` when it names an unknown channel. */
  addGroup(group: GroupWrite, edit: Edit): Promise<number>
  /**
   * Makes a group what it is to be; its name may be another one, its tokens stay in it. Throws
   * `NotThere`, `Conflict`, `NameTaken`; `WriteRefused` when it names an unknown channel.
   */
  setGroup(id: number, group: GroupWrite, edit: Edit): Promise<void>
  /**
   * Returns how many tokens were moved. Throws `NotThere` for it or for the group that its tokens
   * go to, `Conflict`; `InUse` while it has tokens and they go nowhere, `GroupClosed` where that is
   * not open to their owners.
   */
  removeGroup(id: number, edit: RemoveGroup): Promise<number>
}

interface RemoveGroup extends Edit {
  /** Id of the group that its tokens go to; absent: it must have none. */
  readonly moveTokensTo?: number | undefined
}

/** A price that somebody sets by hand, from now on. */
interface PriceEdit {
  /** Who does it: an e-mail, or `command line`. */
  readonly actor: string
  readonly price: PriceSetting
  /** Id of the price that was seen in force (null: none); with another one `Conflict` is thrown. */
  readonly replaces: number | null
}

/** Prices by hand. */
interface PriceEdits {
  /**
   * Puts a price in force and returns it; the terms `none` take the model away. The one that is in
   * force already adds neither a row nor an audit row. Throws `Conflict`.
   */
  setPrice(edit: PriceEdit): Promise<PriceRow>
}

/** What was set by hand, by name; values as tollgate.yaml has them. */
export interface StoredSettings {
  readonly values: ReadonlyMap<string, unknown>
  /** Tells states of all of them apart. */
  readonly revision: string
}

/** Settings by hand. */
interface SettingEdits {
  storedSettings(): Promise<StoredSettings>
  /** Sets what is named; null takes a setting away. Throws `Conflict`. */
  setSettings(
    changes: ReadonlyMap<string, string | number | boolean | null>,
    edit: Edit,
  ): Promise<void>
}

/** Notes what was done outside of the database. */
interface NoteEdits {
  /** Leaves an audit row, now. */
  noteChange(note: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>): Promise<void>
}

/**
 * Changes by hand, as people make them in the console: by id, only what is named, one transaction
 * each with its audit row; what changes nothing leaves none.
 */
export interface EditStore
  extends AccountEdits,
    ChannelEdits,
    GroupEdits,
    NoteEdits,
    PriceEdits,
    SettingEdits,
    TokenEdits {}
