import { Elysia } from 'elysia'
import { formatNano } from '../../billing/money.ts'
import { exportLines } from '../../billing/receipt/export-lines.ts'
import { ledgerFields } from '../../billing/receipt/fields.ts'
import { isoTime } from '../../lib/format.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { LedgerEntry as Row } from '../../store/ports/records.ts'
import type { Guard } from '../access.ts'
import { download } from '../download.ts'
import { Answer, success } from '../envelope.ts'
import { answerPage } from '../paging.ts'
import { readSpan } from '../times.ts'
import {
  type LedgerEntry,
  LedgerExportQuery,
  LedgerList,
  LedgerQuery,
  type LedgerQuery as Query,
} from './schema.ts'

const viewEntry = (row: Row): LedgerEntry => ({
  id: row.id,
  created_at: isoTime(row.createdAt),
  kind: row.kind,
  amount: formatNano(row.amountNano),
  balance_after: formatNano(row.balanceAfterNano),
  request_id: row.requestId,
  reason: row.reason,
})

const filterOf = (accountId: number, { kind, ...span }: Query) => ({
  accountId,
  ...(kind && { kinds: [kind] }),
  ...readSpan(span),
})

type Lists = Pick<ListStore, 'ledger' | 'exportLedger'>

/** What changed the balance of who is signed in. */
export const ledgerRoutes = (guard: Guard, lists: Lists) =>
  new Elysia({ name: 'admin.ledger', prefix: '/api/v1/ledger' })
    .use(guard('user'))
    .get(
      '',
      async ({ who, query }) => {
        const filter = filterOf(who.accountId, query)
        return success(await answerPage(query, (page) => lists.ledger(filter, page), viewEntry))
      },
      {
        query: LedgerQuery,
        response: { 200: Answer(LedgerList) },
        detail: { tags: ['Console'], summary: 'Own ledger entries, newest first' },
      },
    )
    .get(
      '/export',
      ({ who, query }) => {
        const { format = 'csv' } = query
        const rows = lists.exportLedger(filterOf(who.accountId, query))
        return download(exportLines(rows, ledgerFields, { format, isForSpreadsheets: true }), {
          name: `ledger.${format}`,
          type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        })
      },
      {
        query: LedgerExportQuery,
        detail: {
          tags: ['Console'],
          summary: 'Own ledger entries as a file, oldest first',
          responses: {
            200: {
              description: 'CSV with a line of names, or a JSON object a line.',
              content: { 'text/csv': {}, 'application/x-ndjson': {} },
            },
          },
        },
      },
    )
