import type { AuditEntry } from '../ports/admin.ts'
import { parseColumn } from './json.ts'
import type { Queries } from './queries.ts'

/** Notes who changed what. Call it in the transaction of the change. */
export function addAudit({ build, run }: Queries, entry: Omit<AuditEntry, 'id'>): void {
  const { createdAt, actor, action, subject } = entry
  const detail = JSON.stringify(entry.detail)
  run(build.insertInto('audit').values({ created_at: createdAt, actor, action, subject, detail }))
}

/** The newest entries, newest last. */
export function listAudit({ build, all }: Queries, limit: number): AuditEntry[] {
  const rows = all(build.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit))
  return rows.reverse().map(({ id, created_at, actor, action, subject, detail }) => ({
    id,
    createdAt: created_at,
    actor,
    action,
    subject,
    detail: parseColumn<AuditEntry['detail']>(detail),
  }))
}
