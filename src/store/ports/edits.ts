import type { AccountEdits } from './account-edits.ts'
import { WriteRefused } from './admin.ts'
import type { ChannelEdits } from './channel-edits.ts'
import type { GroupEdits } from './group-edits.ts'
import type { NoteEdits } from './note-edits.ts'
import type { PriceEdits } from './price-edits.ts'
import type { SettingEdits } from './setting-edits.ts'
import type { TokenEdits } from './token-edits.ts'

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

/**
 * Changes by hand, as people make them in the console: by id, only what is named, one transaction
 * each with its audit row; what changes nothing leaves none. Each part is declared in a file of its
 * own, beside this one.
 */
export interface EditStore
  extends AccountEdits,
    ChannelEdits,
    GroupEdits,
    NoteEdits,
    PriceEdits,
    SettingEdits,
    TokenEdits {}
