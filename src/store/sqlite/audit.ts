import type { Selectable } from 'kysely'
import type { AuditEntry } from '../ports/admin.ts'
import { parseColumn } from './json.ts'
import type { Queries } from './queries.ts'
import type { Tables } from './tables.ts'

/** Notes who changed what. Call it in the transaction of the change. */
export function addAudit({ build, run }: Queries, entry: Omit<AuditEntry, 'id'>): void {
  const { createdAt, actor, action, subject } = entry
  const detail = JSON.stringify(entry.detail)
  run(build.insertInto('audit').values({ created_at: createdAt, actor, action, subject, detail }))
}

/** All entries. */
export const selectAudit = ({ build }: Queries) => build.selectFrom('audit').selectAll()

/** A row of `selectAudit` as the ports know it. */
export function toAuditEntry(row: Selectable<Tables['audit']>): AuditEntry {
  const { id, created_at, actor, action, subject, detail } = row
  const parsed = parseColumn<AuditEntry['detail']>(detail)
  return { id, createdAt: created_at, actor, action, subject, detail: parsed }
}

/** The newest entries, newest last. */
export function listAudit(queries: Queries, limit: number): AuditEntry[] {
  const rows = queries.all(selectAudit(queries).orderBy('id', 'desc').limit(limit))
  return rows.reverse().map(toAuditEntry)
}
