import { Elysia } from 'elysia'
import { isoTime } from '../../lib/format.ts'
import type { AuditEntry } from '../../store/ports/admin.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { Guard } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { answerPage, named, readSpan, withSearch } from '../paging.ts'
import { readChanges } from './changes.ts'
import { type AuditItem, AuditList, AuditQuery } from './schema.ts'

/** Changes made by hand, for administrators. */
export const auditRoutes = (guard: Guard, lists: Pick<ListStore, 'audit'>) =>
  new Elysia({ name: 'admin.audit', prefix: '/api/v1/admin/audit' }).use(guard('admin')).get(
    '',
    async ({ query }) => {
      const { actor, action, subject, ...span } = query
      const filter = { ...named({ actor, action, subject }), ...readSpan(span) }
      const read = answerPage(query, (page) => lists.audit(filter, page), toItem)
      return success(withSearch(await read))
    },
    {
      query: AuditQuery,
      ...forAdmins(AuditList, 'Who changed what by hand, newest first'),
    },
  )

const toItem = (entry: AuditEntry): AuditItem => ({
  id: entry.id,
  created_at: isoTime(entry.createdAt),
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  changes: readChanges(entry),
})
