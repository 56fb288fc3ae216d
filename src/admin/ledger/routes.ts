import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { LedgerExportQuery, LedgerList, LedgerQuery } from './schema.ts'
import type { LedgerService } from './service.ts'

const tags = ['Console']

/** What changed the balance of who is signed in. HTTP only: every decision is the service's. */
export const ledgerRoutes = (guard: Guard, ledger: LedgerService) =>
  new Elysia({ name: 'admin.ledger', prefix: '/api/v1/ledger' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await ledger.list(who, query)), {
      query: LedgerQuery,
      response: { 200: Answer(LedgerList) },
      detail: { tags, summary: 'Own ledger entries, newest first' },
    })
    .get('/export', ({ who, query, request }) => ledger.export(who, query, request.signal), {
      query: LedgerExportQuery,
      detail: {
        tags,
        summary: 'Own ledger entries as a file, oldest first',
        responses: {
          200: {
            description: 'CSV with a line of names, or a JSON object a line.',
            content: { 'text/csv': {}, 'application/x-ndjson': {} },
          },
        },
      },
    })
