import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import type { LiveRequests } from './live.ts'
import {
  AllExportQuery,
  AllRequestsQuery,
  AllRequestsWanted,
  AnyReceipt,
  AnyRequestList,
  ExportQuery,
  Receipt,
  RequestList,
  RequestsQuery,
  RequestsWanted,
} from './schema.ts'
import type { RequestExport, RequestService } from './service.ts'
import { answerWith } from './viewer.ts'

export interface RequestServices {
  readonly requests: RequestService
  readonly requestExport: RequestExport
}

const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) })

const detail = (tag: string, summary: string) => ({ detail: { tags: [tag], summary } })

/** A person's own requests. HTTP only: every decision is the services'. */
export const requestRoutes = (guard: Guard, services: RequestServices) =>
  new Elysia({ name: 'admin.requests', prefix: '/api/v1/requests' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await services.requests.listOwn(who, query)), {
      query: RequestsQuery,
      response: { 200: Answer(RequestList) },
      ...detail('Console', 'Own requests, newest first'),
    })
    .get(
      '/export',
      ({ who, query, request: { signal } }) => services.requestExport.own({ who, query, signal }),
      { query: ExportQuery, ...detail('Console', 'Own requests as a file, oldest first') },
    )
    .get(
      '/:id',
      async ({ who, params }) => success(await services.requests.ownReceipt(who, params.id)),
      {
        params: ById,
        response: { 200: Answer(Receipt) },
        ...detail('Console', 'The receipt of an own request'),
      },
    )

/** The requests of all accounts. */
export const allRequestRoutes = (guard: Guard, services: RequestServices) =>
  new Elysia({ name: 'admin.all-requests', prefix: '/api/v1/admin/requests' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await services.requests.listAll(query)), {
      query: AllRequestsQuery,
      response: { 200: Answer(AnyRequestList) },
      ...detail('Administration', 'All requests, newest first'),
    })
    .get(
      '/export',
      ({ who, query, request: { signal } }) => services.requestExport.all({ who, query, signal }),
      { query: AllExportQuery, ...detail('Administration', 'All requests as a file') },
    )
    .get('/:id', async ({ params }) => success(await services.requests.anyReceipt(params.id)), {
      params: ById,
      response: { 200: Answer(AnyReceipt) },
      ...detail('Administration', 'The receipt of any request'),
    })

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
