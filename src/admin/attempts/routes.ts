import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isoTime } from '../../lib/format.ts'
import type { ListedAttempt, ListStore } from '../../store/ports/lists.ts'
import type { Guard } from '../access.ts'
import { forAdmins, PageQuery, SearchedListOf, success } from '../envelope.ts'
import { answerPage, named, readSpan, withSearch } from '../paging.ts'
import { newestFirst, Outcome, orNull, SortBy } from '../shapes.ts'

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const AttemptsQuery = Type.Composite([
  Type.Object({
    channel: name('Name of the channel.'),
    outcome: Type.Optional(Outcome),
    cause: name('Machine word, such as connect_failed.'),
    since: name('From this time on, ISO 8601.'),
    sort: SortBy(['started_at'], newestFirst),
  }),
  PageQuery,
])
type AttemptsQuery = Static<typeof AttemptsQuery>

export const AttemptItem = Type.Object({
  request_id: Type.String(),
  position: Type.Integer({ description: 'Place among the attempts of its request, from 0.' }),
  started_at: Type.String(),
  account: Type.String(),
  model: orNull(Type.String()),
  channel: Type.String(),
  status: orNull(Type.Integer({ description: 'Of the upstream; null: it gave none.' })),
  cause: orNull(Type.String({ description: 'Machine word; null: it succeeded.' })),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: Type.Integer(),
  upstream_request_id: orNull(Type.String()),
})

const AttemptList = SearchedListOf(AttemptItem)

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
