import { dayMs } from '../../lib/clock.ts'
import { emptyUsage, type Usage } from '../../protocols/canonical/usage.ts'
import { decodeStoredUsage } from '../../protocols/index.ts'
import type { BilledRow, Matching, MatchingSums, OwnAttempt } from '../../store/ports/matching.ts'
import type { AttemptRecord, RecordStore, Span } from '../../store/ports/records.ts'
import { createMatching } from '../../store/sqlite/matching.ts'
import { UserError } from '../user-error.ts'
import {
  type Columns,
  createRowReader,
  fieldNames,
  findColumns,
  type NamedColumns,
} from './columns.ts'
import { openUsageFile, type UsageFile } from './usage-file.ts'

export interface ReconcileOptions extends Span {
  readonly file: string
  readonly channelIds: readonly number[]
  readonly columns?: NamedColumns
  readonly onProgress?: (read: { readonly rows: number; readonly attempts: number }) => void
}

/** The result; its rows are in `matching`, which the caller closes. */
export interface Reconciliation {
  readonly sums: MatchingSums
  readonly matching: Matching
  readonly columns: { readonly [field: string]: string }
  /** Every attempt of ours within this span must be billed. */
  readonly span: Required<Span>
  /** Rows left out: without an id, or outside the requested span. */
  readonly skipped: { readonly withoutId: number; readonly outsideSpan: number }
  /** Attempts without an upstream id, and unbilled ones at the edge of the span. */
  readonly attempts: { readonly withoutId: number; readonly atTheEdge: number }
}

/** Whether either side has a row that the other lacks or has differently. */
export const hasDifferences = ({ unknownToUs, notBilled, differing }: MatchingSums): boolean =>
  unknownToUs.ids + notBilled.ids + differing > 0

/** Compares an upstream's usage file with our attempts, by the upstream's request ids. */
export async function reconcile(
  records: Pick<RecordStore, 'attempts'>,
  options: ReconcileOptions,
): Promise<Reconciliation> {
  const file = await openUsageFile(options.file)
  const columns = findColumns(options.file, file.columns, options.columns)
  const matching = createMatching()
  try {
    const read = await readBilled(file, columns, matching, options)
    const span = findSpan(options, columns, read)
    const attempts = await readOwn(records, matching, span, options)
    const { withoutId, outsideSpan } = read
    return {
      sums: matching.compare(),
      matching,
      columns: columnNames(columns, file),
      span,
      skipped: { withoutId, outsideSpan },
      attempts,
    }
  } catch (error) {
    matching.close()
    throw error
  }
}

function columnNames(columns: Columns, { columns: names }: UsageFile) {
  const found = fieldNames.flatMap((field) => {
    const name = names[columns[field] ?? -1]
    return name === undefined ? [] : [[field, name] as const]
  })
  return Object.fromEntries(found)
}

const batchSize = 1000

interface TimesRead {
  first: number
  last: number
  withoutId: number
  outsideSpan: number
}

async function readBilled(
  file: UsageFile,
  columns: Columns,
  matching: Matching,
  { file: path, since, until, onProgress }: ReconcileOptions,
): Promise<TimesRead> {
  const readRow = createRowReader(path, file, columns)
  const read: TimesRead = {
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    withoutId: 0,
    outsideSpan: 0,
  }
  let batch: BilledRow[] = []
  let rows = 0
  for await (const row of file.rows()) {
    const { billed, moment } = readRow(row) ?? {}
    rows++
    if (billed === undefined) read.withoutId++
    else if (moment && !isWithin(moment.from, { since, until })) read.outsideSpan++
    else {
      read.first = Math.min(read.first, moment?.from ?? read.first)
      read.last = Math.max(read.last, moment?.until ?? read.last)
      batch.push(billed)
    }
    if (batch.length < batchSize) continue
    matching.addBilled(batch)
    batch = []
    onProgress?.({ rows, attempts: 0 })
  }
  matching.addBilled(batch)
  return read
}

type OpenSpan = { readonly since: number | undefined; readonly until: number | undefined }

const isWithin = (time: number, { since, until }: OpenSpan) =>
  time >= (since ?? time) && time < (until ?? Number.POSITIVE_INFINITY)

function findSpan(
  { file, since, until }: ReconcileOptions,
  { time }: Columns,
  { first, last }: TimesRead,
): Required<Span> {
  const span = { since: since ?? first, until: until ?? last }
  if (Number.isFinite(span.since) && Number.isFinite(span.until)) return span
  const why = time === undefined ? 'has no column with times that is known' : 'has no times in it'
  throw new UserError(
    `${file} ${why}, so it is not known which attempts should be in it. Name the column with ` +
      '--time-column, or tell the span with --since and --until.',
  )
}

/** Reads attempts with a day's margin: clocks differ. Only those within the span must be billed. */
async function readOwn(
  records: Pick<RecordStore, 'attempts'>,
  matching: Matching,
  { since, until }: Required<Span>,
  { channelIds, onProgress }: ReconcileOptions,
) {
  const found = { withoutId: 0, atTheEdge: 0 }
  const wide = { since: since - dayMs, until: until + dayMs }
  let count = 0
  for await (const record of records.attempts({ ...wide, channelIds, requestAgeMs: dayMs })) {
    const { startedAt, durationMs } = record
    const isInSpan = startedAt >= since && startedAt < until
    const isWhole = isInSpan && startedAt + durationMs <= until
    const isExpected = isWhole && isBillable(record)
    const own = toOwnAttempt(record, isExpected)
    const isLeftOut = own === undefined || !matching.addOwn(own)
    if (own === undefined && isExpected) found.withoutId++
    if (isLeftOut && isInSpan && !isWhole && isBillable(record)) found.atTheEdge++
    if (++count % batchSize === 0) onProgress?.({ rows: 0, attempts: count })
  }
  return found
}

function toOwnAttempt(record: AttemptRecord, isExpected: boolean): OwnAttempt | undefined {
  const { upstreamRequestId, request, isLast } = record
  if (upstreamRequestId === null) return undefined
  const reported = decodeReported(record)
  const usage = reported ?? (isLast ? request : emptyUsage)
  return {
    upstreamId: upstreamRequestId,
    requestId: request.requestId,
    channel: record.channel,
    model: request.model,
    startedAt: record.startedAt,
    status: record.status,
    cause: record.cause,
    estimated: reported === undefined && isLast && request.estimated,
    amountNano: isLast ? request.amountNano : 0,
    isExpected,
    inputTokens: usage.inputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
  }
}

function decodeReported({ usageRaw, request }: AttemptRecord): Usage | undefined {
  if (usageRaw === null) return undefined
  const protocol = request.upstreamProtocol ?? request.clientProtocol
  return decodeStoredUsage(protocol, JSON.parse(usageRaw))
}

/** Upstreams bill attempts that they answered, or reported usage of. */
const isBillable = ({ status, usageRaw }: AttemptRecord): boolean =>
  status === 200 || usageRaw !== null
