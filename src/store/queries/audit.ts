import type { Selectable } from 'kysely'
import type { AuditEntry } from '../ports/admin.ts'
import { parseColumn } from './columns.ts'
import { all, build, run, type Steps } from './steps.ts'
import type { Tables } from './tables.ts'

/** Notes who changed what. Call it in the transaction of the change. */
export function* addAudit(entry: Omit<AuditEntry, 'id'>): Steps<void> {
  const { createdAt, actor, action, subject } = entry
  const detail = JSON.stringify(entry.detail)
  yield* run(
    build.insertInto('audit').values({ created_at: createdAt, actor, action, subject, detail }),
  )
}

/** All entries. */
export const selectAudit = () => build.selectFrom('audit').selectAll()

/** A row of `selectAudit` as the ports know it. */
export function toAuditEntry(row: Selectable<Tables['audit']>): AuditEntry {
  const { id, created_at, actor, action, subject, detail } = row
  const parsed = parseColumn<AuditEntry['detail']>(detail)
  return { id, createdAt: created_at, actor, action, subject, detail: parsed }
}

/** The newest entries, newest last. */
export function* listAudit(limit: number): Steps<AuditEntry[]> {
  const rows = yield* all(selectAudit().orderBy('id', 'desc').limit(limit))
  return rows.toReversed().map(toAuditEntry)
}
