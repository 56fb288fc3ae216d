import { Elysia } from 'elysia'
import { isoTime } from '../../lib/format.ts'
import type { AuditEntry } from '../../store/ports/admin.ts'
import type { AuditFilter, ListStore } from '../../store/ports/lists.ts'
import type { Guard } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { Answer, success } from '../envelope.ts'
import { answerPage } from '../paging.ts'
import { readChanges } from './changes.ts'
import { type AuditItem, AuditList, AuditQuery } from './schema.ts'

/** Who changed what by hand. */
export const auditRoutes = (guard: Guard, lists: Pick<ListStore, 'audit'>) =>
  new Elysia({ name: 'admin.audit', prefix: '/api/v1/admin/audit' }).use(guard('admin')).get(
    '',
    async ({ query }) => {
      const filter = readFilter(query)
      const { searchedBackTo, ...page } = await answerPage(
        query,
        (asked) => lists.audit(filter, asked),
        toItem,
      )
      const searched_back_to = searchedBackTo === null ? null : isoTime(searchedBackTo)
      return success({ ...page, searched_back_to })
    },
    {
      query: AuditQuery,
      response: { 200: Answer(AuditList) },
      detail: { tags: ['Administration'], summary: 'Who changed what by hand, newest first' },
    },
  )

function readFilter({ actor, action, subject, since }: AuditQuery): AuditFilter {
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(since !== undefined && { since: readTime(since) }),
  }
}

function readTime(text: string): number {
  const match = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  // A day alone is one of UTC; a time that does not say where it holds is, too.
  const time = Date.parse(match?.[1] && !match[4] ? `${text}Z` : match ? text : '')
  if (Number.isFinite(time)) return time
  throw new ApiError('invalid_value', `since: "${text}" is no time; 2026-11-21 is one.`, {
    field: 'since',
  })
}

const toItem = (entry: AuditEntry): AuditItem => ({
  id: entry.id,
  created_at: isoTime(entry.createdAt),
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  changes: readChanges(entry),
})
