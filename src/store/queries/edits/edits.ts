import type { EditStore } from '../../ports/edits.ts'
import { createAccountEdits } from './accounts.ts'
import type { EditParts } from './change.ts'
import { createChannelEdits } from './channels.ts'
import { createGroupEdits } from './groups.ts'
import { createNoteEdits } from './notes.ts'
import { createPriceEdits } from './prices.ts'
import { createSettingEdits } from './settings.ts'
import { createTokenEdits } from './tokens.ts'

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
