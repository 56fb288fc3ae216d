import type { Reconciliation } from '../app/reconcile/reconcile.ts'
import { isoTime } from '../lib/format.ts'
import type { BilledSums, BilledTotal, OwnSums, OwnTotal } from '../store/ports/matching.ts'

const chunkLength = 64 * 1024

/** A reconciliation as chunks of JSON lines: the summary, then every difference. */
export function* reconcileJsonLines(
  file: string,
  channels: readonly string[],
  found: Reconciliation,
): Generator<string> {
  let chunk = ''
  for (const line of lines(file, channels, found)) {
    chunk += `${JSON.stringify(line)}\n`
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

function* lines(file: string, channels: readonly string[], found: Reconciliation) {
  const { matching, sums } = found
  yield summary(file, channels, found)
  for (const row of matching.unknownToUs()) yield { type: 'unknown_to_us', ...billedView(row) }
  for (const row of matching.notBilled()) yield { type: 'not_billed', ...ownView(row) }
  for (const { billed, own } of matching.differing(sums.form))
    yield { type: 'differs', billed: billedView(billed), own: ownView(own) }
}

function summary(file: string, channels: readonly string[], found: Reconciliation) {
  const { sums, span, columns, skipped, attempts } = found
  return {
    type: 'summary',
    file,
    channels,
    since: isoTime(span.since),
    until: isoTime(span.until),
    columns,
    input_counts: sums.form.input,
    output_counts: sums.form.output,
    billed: billedSums(sums.billed),
    repeated_ids: sums.repeatedIds,
    matched: { billed: billedSums(sums.matched.billed), own: ownSums(sums.matched.own) },
    unknown_to_us: billedSums(sums.unknownToUs),
    not_billed: ownSums(sums.notBilled),
    differing: sums.differing,
    skipped_rows: { without_id: skipped.withoutId, outside_span: skipped.outsideSpan },
    skipped_attempts: { without_id: attempts.withoutId, at_the_edge: attempts.atTheEdge },
  }
}

/** Amounts beyond the safe integers become texts. */
const money = (amountNano: bigint) =>
  Number.isSafeInteger(Number(amountNano)) ? Number(amountNano) : String(amountNano)

const billedSums = ({ ids, lines: rows, ...sums }: BilledSums) => ({
  ids,
  lines: rows,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cached_tokens: sums.cachedTokens,
  cost_nano: sums.costNano === null ? null : money(sums.costNano),
})

const ownSums = ({ ids, attempts, ...sums }: OwnSums) => ({
  ids,
  attempts,
  input_tokens: sums.inputTokens,
  cache_read_tokens: sums.cacheReadTokens,
  cache_write_tokens: sums.cacheWriteTokens,
  output_tokens: sums.outputTokens,
  reasoning_tokens: sums.reasoningTokens,
  amount_nano: money(sums.amountNano),
})

const billedView = (row: BilledTotal) => ({
  upstream_request_id: row.id,
  lines: row.lines,
  time: row.time === null ? null : isoTime(row.time),
  input_tokens: row.inputTokens,
  output_tokens: row.outputTokens,
  cached_tokens: row.cachedTokens,
  cost_nano: row.costNano,
})

const ownView = (row: OwnTotal) => ({
  upstream_request_id: row.upstreamId,
  request_id: row.requestId,
  channel: row.channel,
  model: row.model,
  started_at: isoTime(row.startedAt),
  status: row.status,
  cause: row.cause,
  attempts: row.attempts,
  estimated: row.estimated,
  input_tokens: row.inputTokens,
  cache_read_tokens: row.cacheReadTokens,
  cache_write_tokens: row.cacheWriteTokens,
  output_tokens: row.outputTokens,
  reasoning_tokens: row.reasoningTokens,
  amount_nano: row.amountNano,
})
