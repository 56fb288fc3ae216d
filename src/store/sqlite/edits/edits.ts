import type { Database } from 'bun:sqlite'
import type { Clock } from '../../../lib/clock.ts'
import type { EditStore } from '../../ports/edits.ts'
import type { Queries } from '../queries.ts'
import { createAccountEdits } from './accounts.ts'
import { createChannelEdits } from './channels.ts'
import { createGroupEdits } from './groups.ts'
import { createNoteEdits } from './notes.ts'
import { createPriceEdits } from './prices.ts'
import { createSettingEdits } from './settings.ts'
import { createTokenEdits } from './token-edits.ts'

/** What the parts of the edits work with. */
export interface EditParts {
  readonly db: Database
  readonly queries: Queries
  readonly clock: Clock
  /** Runs work on the database; its errors come out explained. */
  readonly access: <Result>(work: () => Result) => Promise<Result>
}

/** Changes by hand; each part is made in a file of its own. */
export function createEdits(parts: EditParts): EditStore {
  return {
    ...createAccountEdits(parts),
    ...createChannelEdits(parts),
    ...createGroupEdits(parts),
    ...createNoteEdits(parts),
    ...createPriceEdits(parts),
    ...createSettingEdits(parts),
    ...createTokenEdits(parts),
  }
}
