import type { GroupWrite } from './admin.ts'
import type { Edit } from './edits.ts'

/** Changes of groups by hand; `editableCatalog` of `ChannelEdits` shows them. */
export interface GroupEdits {
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

export interface RemoveGroup extends Edit {
  /** Id of the group that its tokens go to; absent: it must have none. */
  readonly moveTokensTo?: number | undefined
}
