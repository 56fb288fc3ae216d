import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatNano } from '../../billing/money.ts'
import { exportLines, ledgerFields } from '../../billing/receipt/fields.ts'
import { isoTime } from '../../lib/format.ts'
import type { Logger } from '../../lib/log.ts'
import type { ListedEntry, ListStore } from '../../store/ports/lists.ts'
import type { Guard, SignedIn } from '../access.ts'
import { createExportPlaces, download, tableTypes } from '../download.ts'
import { forUsers, ListOf, PageQuery, success } from '../envelope.ts'
import { answerPage, readSpan } from '../paging.ts'
import { ExportFormat, newestFirst, oneOf, orNull, SortBy } from '../shapes.ts'

const LedgerKind = oneOf(['opening', 'charge', 'credit', 'debit'])

export const LedgerEntry = Type.Object({
  id: Type.Integer(),
  created_at: Type.String(),
  kind: LedgerKind,
  amount: Type.String({ description: 'USD, exact and signed: a charge is negative.' }),
  balance_after: Type.String({ description: 'USD, exact.' }),
  request_id: orNull(Type.String(), 'Of a charge.'),
  model: orNull(
    Type.String(),
    'Of a charge, as the client wrote it; null: its request is no longer kept.',
  ),
  reason: orNull(Type.String(), 'Of a change by hand.'),
})
export type LedgerEntry = Static<typeof LedgerEntry>

export const LedgerList = ListOf(LedgerEntry)
export type LedgerList = Static<typeof LedgerList>

const which = Type.Object({
  kind: Type.Optional(LedgerKind),
  since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601 with its offset.' })),
  until: Type.Optional(Type.String({ maxLength: 40, description: 'The same; not included.' })),
})

const LedgerQuery = Type.Object({
  ...PageQuery.properties,
  ...which.properties,
  sort: SortBy(['created_at'], newestFirst),
})
type LedgerQuery = Static<typeof LedgerQuery>

/** Which entries to write, and how. */
const LedgerExportQuery = Type.Composite([
  which,
  Type.Object({ format: Type.Optional(ExportFormat) }),
])
type LedgerExportQuery = Static<typeof LedgerExportQuery>

export type LedgerService = ReturnType<typeof createLedgerService>

/** The user's own ledger: in pages, and as a file. */
export function createLedgerService(
  lists: Pick<ListStore, 'ledger' | 'exportLedger'>,
  log: Logger,
) {
  const places = createExportPlaces()
  return {
    list(who: SignedIn, query: LedgerQuery) {
      const filter = filterOf(who, query)
      return answerPage(query, (page) => lists.ledger(filter, page), viewEntry)
    },
    async export(who: SignedIn, query: LedgerExportQuery, signal: AbortSignal): Promise<Response> {
      const { format = 'csv' } = query
      const rows = lists.exportLedger(filterOf(who, query), signal)
      const lines = exportLines(rows, ledgerFields, { format })
      const file = { name: `ledger.${format}`, type: tableTypes[format] }
      return download(lines, file, { signal, log, onEnd: places.take(who) })
    },
  }
}

const filterOf = ({ accountId }: SignedIn, { kind, ...span }: LedgerQuery) => ({
  accountId,
  ...(kind && { kinds: [kind] }),
  ...readSpan(span),
})

export const viewEntry = (row: ListedEntry): LedgerEntry => ({
  id: row.id,
  created_at: isoTime(row.createdAt),
  kind: row.kind,
  amount: formatNano(row.amountNano),
  balance_after: formatNano(row.balanceAfterNano),
  request_id: row.requestId,
  model: row.model,
  reason: row.reason,
})

const tags = ['Console']

/** The user's own ledger. */
export const ledgerRoutes = (guard: Guard, ledger: LedgerService) =>
  new Elysia({ name: 'admin.ledger', prefix: '/api/v1/ledger' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await ledger.list(who, query)), {
      query: LedgerQuery,
      ...forUsers(LedgerList, 'Own ledger entries, newest first'),
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
