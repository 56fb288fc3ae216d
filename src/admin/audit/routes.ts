import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isoTime } from '../../lib/format.ts'
import type { AuditEntry } from '../../store/ports/admin.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { Guard } from '../access.ts'
import { forAdmins, PageQuery, SearchedListOf, success } from '../envelope.ts'
import { answerPage, named, readSpan, withSearch } from '../paging.ts'
import { newestFirst, SortBy } from '../shapes.ts'
import { AuditChange, readChanges } from './changes.ts'

export const AuditItem = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  actor: Type.String({ description: 'An e-mail, or `command line`.' }),
  action: Type.String({ description: 'What was done: account.credit, token.set …' }),
  subject: Type.String({ description: "The account's e-mail, `token 3`, a name." }),
  changes: Type.Array(AuditChange, { description: 'Secrets are redacted.' }),
})
export type AuditItem = Static<typeof AuditItem>

const AuditList = SearchedListOf(AuditItem)

const AuditQuery = Type.Composite([
  PageQuery,
  Type.Object({
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    action: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'How the action begins.' }),
    ),
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601; or a day, UTC.' })),
    sort: SortBy(['created_at'], newestFirst),
  }),
])

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
    { query: AuditQuery, ...forAdmins(AuditList, 'Who changed what by hand, newest first') },
  )

const toItem = (entry: AuditEntry): AuditItem => ({
  id: entry.id,
  created_at: isoTime(entry.createdAt),
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  changes: readChanges(entry),
})
