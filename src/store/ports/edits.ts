import type { SomeTokenSettings } from '../../resources/token.ts'
import {
  type AccountFields,
  type AccountWrite,
  type AuditEntry,
  type ChannelWrite,
  type StoredAccount,
  type TokenView,
  type TokenWrite,
  WriteRefused,
} from './admin.ts'
import type { ChannelRow, GroupRow, GroupSettings, PriceRow, PriceSetting } from './catalog.ts'
import type { TokenUsed } from './records.ts'

export interface Edit {
  /** The actor: an e-mail, or `command line`. */
  readonly actor: string
  /** The revision that the editor saw: throws `Conflict` when it has changed. Absent: not checked. */
  readonly revision?: string | undefined
}

/** Tokens of a group or an account are counted no further: there may be a million. */
export const mostTokensCounted = 10_000

export class Conflict extends WriteRefused {}

export class NotThere extends WriteRefused {}

/** A token can't be restored: its group is removed. */
export class GroupGone extends NotThere {}

export class NameTaken extends WriteRefused {}

/** A change names a missing object: a group without that channel, a token without its group. */
export class NotKnown extends WriteRefused {
  readonly kind: 'channel' | 'group'

  constructor(kind: NotKnown['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

export class GroupClosed extends WriteRefused {}

/** The owner of a token wants more for it than an operator has set. */
export class SetByOperator extends WriteRefused {}

export class TooMany extends WriteRefused {}

export class InUse extends WriteRefused {}

interface Revised {
  readonly revision: string
}

/** An editable account; its balance is not part of the revision. */
export interface EditableAccount extends StoredAccount, Revised {
  /** Counted to `mostTokensCounted` at most. */
  readonly tokenCount: number
}

export interface EditableToken extends TokenView, TokenUsed, Revised {
  readonly accountId: number
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

export interface EditableChannel extends ChannelRow, Revised {
  readonly createdAt: number
}

export interface EditableGroup extends GroupRow, Revised {
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

export type NewChannel = ChannelWrite & { readonly keysSealed: Uint8Array }

interface PriceEdit extends Pick<Edit, 'actor'> {
  readonly price: PriceSetting
  /** Id of the price that was seen in force (null: none); with another one `Conflict` is thrown. */
  readonly replaces: number | null
}

/** What was set by hand, by name; values as tollgate.yaml has them. */
export interface StoredSettings extends Revised {
  readonly values: ReadonlyMap<string, unknown>
}

/** Manual changes by id, each a transaction with an audit row. Throw `NotThere`, `NameTaken`, `Conflict`. */
export interface EditStore {
  findAccount(id: number): Promise<EditableAccount | undefined>
  /** Makes an account with its opening balance; resolves to its id. */
  addAccount(account: AccountWrite, edit: Edit): Promise<number>
  /** Throws `InUse` where the last administrator would be gone; so does removing. */
  setAccount(id: number, fields: AccountFields, edit: Edit): Promise<void>
  /** Marks it and its tokens as deleted, and signs it out. Its records stay. */
  removeAccount(id: number, edit: Edit): Promise<void>

  /** A token of another account is not there. */
  findToken(token: OwnedToken): Promise<EditableToken | undefined>
  /** Resolves to its id. Throws `NotKnown` and `GroupClosed` for its group. */
  addToken(token: NewToken, edit: Edit): Promise<number>
  setToken(token: OwnedToken, fields: SomeTokenSettings, edit: Edit): Promise<void>
  removeToken(token: OwnedToken, edit: Edit): Promise<void>
  /** Brings back what the same actor removed less than `tokenUndoMs` ago. */
  restoreToken(token: OwnedToken, edit: Edit): Promise<void>

  /** What channels and groups are, with the revisions that changes of them name. */
  editableCatalog(): Promise<EditableCatalog>
  /** Resolves to its id. */
  addChannel(channel: NewChannel, edit: Edit): Promise<number>
  /** Replaces a channel; the audit hides the values of keys and proxy. */
  setChannel(id: number, channel: ChannelWrite, edit: Edit): Promise<void>
  /** Throws `InUse` while groups name it, unless it is taken out of them. */
  removeChannel(id: number, edit: Edit & { readonly takeOutOfGroups: boolean }): Promise<void>
  /** Ends all stored cooldowns of a channel; resolves to their number. */
  recoverChannel(id: number, edit: Edit): Promise<number>

  /** Resolves to its id. Throws `NotKnown` for its channels. */
  addGroup(group: GroupSettings, edit: Edit): Promise<number>
  /** Replaces a group; its tokens stay in it. Throws `NotKnown` for its channels. */
  setGroup(id: number, group: GroupSettings, edit: Edit): Promise<void>
  /** Gives how many tokens were moved. Throws `InUse` with nowhere to go, and `GroupClosed`. */
  removeGroup(
    id: number,
    edit: Edit & { readonly moveTokensTo?: number | undefined },
  ): Promise<number>

  /** Puts a price in force, unless it is already; the terms `none` take the model away. */
  setPrice(edit: PriceEdit): Promise<PriceRow>

  storedSettings(): Promise<StoredSettings>
  /** Sets what is named; null takes a setting away. */
  setSettings(
    changes: ReadonlyMap<string, string | number | boolean | null>,
    edit: Edit,
  ): Promise<void>

  /** Adds an audit row for an action outside of the database. */
  noteChange(note: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>): Promise<void>
}

export type AccountEdits = Pick<
  EditStore,
  'findAccount' | 'addAccount' | 'setAccount' | 'removeAccount'
>
