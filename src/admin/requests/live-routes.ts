import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import type { LiveRequests } from './live.ts'
import { AllRequestsWanted, RequestsWanted } from './schema.ts'
import { answerWith } from './viewer.ts'

/** A person's own requests as they end. */
export const liveRequestRoutes = (guard: Guard, live: LiveRequests) =>
  new Elysia({ name: 'admin.live-requests', prefix: '/api/v1/requests' })
    .use(guard('user'))
    .get(
      '/live',
      async ({ who, query, request }) =>
        answerWith(await live.watchOwn({ who, wanted: query, request })),
      {
        query: RequestsWanted,
        detail: { tags: ['Console'], summary: 'Own requests as they end (events)' },
      },
    )

/** Those of all accounts. */
export const allLiveRequestRoutes = (guard: Guard, live: LiveRequests) =>
  new Elysia({ name: 'admin.all-live-requests', prefix: '/api/v1/admin/requests' })
    .use(guard('admin'))
    .get(
      '/live',
      async ({ who, query, request }) =>
        answerWith(await live.watchAll({ who, wanted: query, request })),
      {
        query: AllRequestsWanted,
        detail: { tags: ['Administration'], summary: 'All requests as they end (events)' },
      },
    )
