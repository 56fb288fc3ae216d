import type { ChannelWrite } from './admin.ts'
import type { ChannelRow, GroupRow, PriceRow } from './catalog.ts'
import type { Edit } from './edits.ts'

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
export interface ChannelEdits {
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

export interface RemoveChannel extends Edit {
  readonly takeOutOfGroups: boolean
}
