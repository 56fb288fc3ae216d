import type { NoteEdits } from '../../ports/edits.ts'
import { addAudit } from '../audit.ts'
import type { EditParts } from './change.ts'

/** Audit rows of what is done outside of the database. */
export const createNoteEdits = ({ engine, clock }: EditParts): NoteEdits => ({
  noteChange: (note) => engine.write(() => addAudit({ ...note, createdAt: clock() })),
})
