import type { SomeAccountSettings } from '../../resources/account.ts'
import type { AccountWrite, StoredAccount } from './admin.ts'
import type { Edit } from './edits.ts'

/** An account as whoever is to change it sees it. */
export interface EditableAccount extends StoredAccount {
  /** Counted to `mostTokensCounted` at most. */
  readonly tokenCount: number
  /** Tells its editable states apart; a balance is none. */
  readonly revision: string
}

/** What may be changed of an account: absent fields stay as they are. */
export interface AccountFields extends SomeAccountSettings {
  /** True: its address is its owner's. An administrator's always is. */
  readonly isVouched?: true
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
