import { isoTime } from '../../lib/format.ts'
import type { LedgerEntry, StoredRequest } from '../../store/ports/records.ts'
import type { ClientRequest } from './client.ts'

export type Cell = string | number | boolean | null

export type Fields<Row> = { readonly [name: string]: (row: Row) => Cell }

type View<F extends Fields<never>> = { readonly [Name in keyof F]: ReturnType<F[Name]> }

/** A request as its own account sees it: of `ClientRequest`, so that nothing of the upstream is in it. */
export const clientRequestFields = {
  request_id: (row) => row.requestId,
  created_at: (row) => isoTime(row.createdAt),
  account: (row) => row.account,
  token: (row) => row.token,
  group: (row) => row.group,
  model: (row) => row.model,
  client_protocol: (row) => row.clientProtocol,
  upstream_protocol: (row) => row.upstreamProtocol,
  operation: (row) => row.operation,
  stream: (row) => row.stream,
  status: (row) => row.status,
  cause: (row) => row.cause,
  cause_text: (row) => row.causeText,
  ending: (row) => row.ending,
  input_tokens: (row) => row.inputTokens,
  output_tokens: (row) => row.outputTokens,
  reasoning_tokens: (row) => row.reasoningTokens,
  cache_read_tokens: (row) => row.cacheReadTokens,
  cache_write_tokens: (row) => row.cacheWriteTokens,
  cache_write_1h_tokens: (row) => row.cacheWrite1hTokens,
  calls: (row) => row.calls,
  estimated: (row) => row.estimated,
  clamped: (row) => row.clamped,
  extras: (row) => row.extrasJson ?? null,
  amount_nano: (row) => row.amountNano,
  first_byte_ms: (row) => row.firstByteMs,
  duration_ms: (row) => row.durationMs,
  attempts: (row) => row.attemptCount,
} satisfies Fields<Omit<ClientRequest, 'usageRaw'>>

/** The same for operators, as exports and receipts show it. Names may be added, never renamed. */
export const requestFields = (({
  request_id,
  created_at,
  account,
  token,
  group,
  model,
  ...others
}) => ({
  ...{ request_id, created_at, account, token, group, model },
  upstream_model: (row: Pick<StoredRequest, 'upstreamModel'>) => row.upstreamModel,
  channel: (row: Pick<StoredRequest, 'channel'>) => row.channel,
  ...others,
}))(clientRequestFields)

export const ledgerFields = {
  id: (row) => row.id,
  created_at: (row) => isoTime(row.createdAt),
  account: (row) => row.account,
  kind: (row) => row.kind,
  amount_nano: (row) => row.amountNano,
  request_id: (row) => row.requestId,
  reason: (row) => row.reason,
  balance_after_nano: (row) => row.balanceAfterNano,
} satisfies Fields<LedgerEntry>

/** Reads all fields of a row. */
export function viewOf<Row, F extends Fields<Row>>(fields: F, row: Row): View<F> {
  const view: { [Name in keyof F]?: ReturnType<F[Name]> } = {}
  for (const name in fields) view[name] = fields[name]?.(row) as ReturnType<F[typeof name]>
  return view as View<F>
}

/** JSON Lines, or CSV with a header line. */
export const exportFormats = ['jsonl', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The lines of an export. In CSV null is empty, and a text that begins like a formula gets an apostrophe. */
export async function* exportLines<Row>(
  rows: AsyncIterable<Row>,
  fields: Fields<Row>,
  { format }: { readonly format: ExportFormat },
): AsyncGenerator<string> {
  if (format === 'jsonl') {
    for await (const row of rows) yield `${JSON.stringify(viewOf(fields, row))}\n`
    return
  }
  const readers = Object.values(fields)
  yield `${Object.keys(fields).join(',')}\n`
  for await (const row of rows)
    yield `${readers.map((read) => csvCell(guarded(read(row)))).join(',')}\n`
}

/** One value in the form of RFC 4180. */
function csvCell(value: Cell): string {
  if (value === null) return ''
  const text = String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Characters that begin a formula; East Asian locales also accept the full-width forms. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** Numbers stay numbers, also negative ones. */
const guarded = (value: Cell): Cell =>
  typeof value === 'string' && formula.test(value) ? `'${value}` : value
