import { Elysia } from 'elysia'
import { isoTime } from '../../lib/format.ts'
import type { ListedAttempt, ListStore } from '../../store/ports/lists.ts'
import type { Guard } from '../access.ts'
import { forAdmins, success } from '../envelope.ts'
import { answerPage, named, readSpan, withSearch } from '../paging.ts'
import { AttemptList, AttemptsQuery } from './schema.ts'

export type AttemptService = ReturnType<typeof createAttemptService>

export function createAttemptService(lists: Pick<ListStore, 'attempts'>) {
  return {
    async list(query: AttemptsQuery) {
      const { channel, outcome, cause } = query
      const filter = { ...named({ channel, outcome, cause }), ...readSpan(query) }
      return withSearch(await answerPage(query, (page) => lists.attempts(filter, page), toItem))
    },
  }
}

const toItem = (row: ListedAttempt) => ({
  request_id: row.requestId,
  position: row.position,
  started_at: isoTime(row.startedAt),
  account: row.account,
  model: row.model,
  channel: row.channel,
  status: row.status,
  cause: row.cause,
  first_byte_ms: row.firstByteMs,
  duration_ms: row.durationMs,
  upstream_request_id: row.upstreamRequestId,
})

/** Attempts of all requests, for administrators. */
export const attemptRoutes = (guard: Guard, attempts: AttemptService) =>
  new Elysia({ name: 'admin.attempts', prefix: '/api/v1/admin/attempts' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await attempts.list(query)), {
      query: AttemptsQuery,
      ...forAdmins(AttemptList, 'Attempts at channels, newest first'),
    })
