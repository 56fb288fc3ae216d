import { isoTime } from '../../lib/format.ts'
import type { LedgerEntry, StoredRequest } from '../../store/ports/records.ts'

/** What a field of an export may hold. */
export type Cell = string | number | boolean | null

/** The fields of a record, in their order: public name → how to read it from a row. */
export type Fields<Row> = { readonly [name: string]: (row: Row) => Cell }

/** A record under its public names. */
export type View<F extends Fields<never>> = { readonly [Name in keyof F]: ReturnType<F[Name]> }

/** A request as exports and receipts show it. Names may be added, never renamed. */
export const requestFields = {
  request_id: (row) => row.requestId,
  created_at: (row) => isoTime(row.createdAt),
  account: (row) => row.account,
  token: (row) => row.token,
  group: (row) => row.group,
  model: (row) => row.model,
  upstream_model: (row) => row.upstreamModel,
  channel: (row) => row.channel,
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
} satisfies Fields<Omit<StoredRequest, 'usageRaw'>>

/** The same for its own account: what is the upstream's alone is left out. */
export const clientRequestFields = (({ upstream_model: _, ...fields }) => fields)(requestFields)

/** A ledger entry as exports show it. */
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
