import type { NoteEdits } from '../../ports/note-edits.ts'
import { addAudit } from '../audit.ts'
import type { EditParts } from './change.ts'

/** Audit rows of what is done outside of the database. */
export const createNoteEdits = ({ queries, clock, access }: EditParts): NoteEdits => ({
  noteChange: (note) => access(() => addAudit(queries, { ...note, createdAt: clock() })),
})
