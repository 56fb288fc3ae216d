import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, forUsers, success } from '../envelope.ts'
import type { LiveRequests } from './live.ts'
import * as shapes from './schema.ts'
import type { RequestExport, RequestService } from './service.ts'
import { answerWith } from './viewer.ts'

export interface RequestServices {
  readonly requests: RequestService
  readonly requestExport: RequestExport
}

const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })

const detail = (tag: string, summary: string) => ({ detail: { tags: [tag], summary } })

/** The user's own requests. */
export const requestRoutes = (guard: Guard, services: RequestServices) =>
  new Elysia({ name: 'admin.requests', prefix: '/api/v1/requests' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await services.requests.listOwn(who, query)), {
      query: shapes.RequestsQuery,
      ...forUsers(shapes.RequestList, 'Own requests, newest first'),
    })
    .get(
      '/export',
      ({ who, query, request: { signal } }) => services.requestExport(who, { who, query, signal }),
      { query: shapes.ExportQuery, ...detail('Console', 'Own requests as a file, oldest first') },
    )
    .get(
      '/:id',
      async ({ who, params }) => success(await services.requests.ownReceipt(who, params.id)),
      forUsers(shapes.Receipt, 'The receipt of an own request', { params: ById }),
    )

/** The requests of all accounts, for administrators. */
export const allRequestRoutes = (guard: Guard, services: RequestServices) =>
  new Elysia({ name: 'admin.all-requests', prefix: '/api/v1/admin/requests' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await services.requests.listAll(query)), {
      query: shapes.AllRequestsQuery,
      ...forAdmins(shapes.AnyRequestList, 'All requests, newest first'),
    })
    .get(
      '/export',
      ({ who, query, request: { signal } }) =>
        services.requestExport('all', { who, query, signal }),
      { query: shapes.AllExportQuery, ...detail('Administration', 'All requests as a file') },
    )
    .get('/:id', async ({ params }) => success(await services.requests.anyReceipt(params.id)), {
      params: ById,
      ...forAdmins(shapes.AnyReceipt, 'The receipt of any request'),
    })

/** The user's own requests as they end. */
export const liveRequestRoutes = (guard: Guard, live: LiveRequests) =>
  new Elysia({ name: 'admin.live-requests', prefix: '/api/v1/requests' })
    .use(guard('user'))
    .get(
      '/live',
      async ({ who, query, request }) =>
        answerWith(await live.watch(who, { who, wanted: query, request })),
      { query: shapes.RequestsWanted, ...detail('Console', 'Own requests as they end (events)') },
    )

/** Requests of all accounts as they end, for administrators. */
export const allLiveRequestRoutes = (guard: Guard, live: LiveRequests) =>
  new Elysia({ name: 'admin.all-live-requests', prefix: '/api/v1/admin/requests' })
    .use(guard('admin'))
    .get(
      '/live',
      async ({ who, query, request }) =>
        answerWith(await live.watch('all', { who, wanted: query, request })),
      {
        query: shapes.AllRequestsWanted,
        ...detail('Administration', 'All requests as they end (events)'),
      },
    )
