import type { AuditEntry } from './admin.ts'

/** Notes what was done outside of the database. */
export interface NoteEdits {
  /** Leaves an audit row, now. */
  noteChange(note: Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>): Promise<void>
}
