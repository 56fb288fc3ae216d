import { formatNano } from '../../billing/money.ts'
import { dayMs } from '../../lib/clock.ts'
import { isoTime } from '../../lib/format.ts'
import type {
  PartSums,
  SplitBy,
  SplitFilter,
  TimeSums,
  UsageSplit,
} from '../../store/ports/usage-split.ts'
import type { Sums, UsageChart } from './schema.ts'

const hourMs = 3_600_000

/** The hours, or days, of a chart up to now: of one day the last 24 hours. */
export function spanOf(now: number, days: number) {
  const unit = days === 1 ? 'hour' : 'day'
  const length = unit === 'hour' ? hourMs : dayMs
  const count = unit === 'hour' ? 24 : days
  const last = Math.floor(now / length) * length
  const times = Array.from({ length: count }, (_, at) => last - (count - 1 - at) * length)
  return { unit, times, since: times[0] ?? last } as const satisfies Pick<
    SplitFilter,
    'unit' | 'since'
  > & { readonly times: readonly number[] }
}

interface Shown extends ReturnType<typeof spanOf> {
  readonly by: SplitBy
  /** So many parts that cost most are drawn. */
  readonly drawn: number
  /** So many of them are listed, too. */
  readonly listed: number
}

/** Arranges what was added up by time and part; all parts that are not drawn are one. */
export function usageChart(split: UsageSplit, shown: Shown): UsageChart {
  const { unit, times, by, drawn, listed } = shown
  const byTime = Map.groupBy(split.totals, ({ time }) => time)
  const parts = [...Map.groupBy(split.parts, ({ part }) => part).values()].map((rows) => ({
    rows,
    cost: costOf(rows),
  }))
  parts.sort((a, b) =>
    a.cost === b.cost ? requestsOf(b.rows) - requestsOf(a.rows) : a.cost < b.cost ? 1 : -1,
  )
  /** The first of them, and what is left of the whole. */
  const first = (count: number) => {
    const own = parts.slice(0, count).map(({ rows }) => ({ rows, isOther: false }))
    if (split.partCount <= own.length) return own
    const rows = restOf(
      split.totals,
      own.flatMap((part) => part.rows),
    )
    return [...own, { rows, isOther: true }]
  }
  return {
    ...{ unit, by, others: Math.max(split.partCount - drawn, 0) },
    times: times.map((time) => ({ time: isoTime(time), ...sumUp(byTime.get(time) ?? []) })),
    parts: first(drawn).map((part) => ({ ...summed(part), times: timesOf(part.rows, times) })),
    list: listed > 0 ? first(listed).map(summed) : [],
    sum: sumUp(split.totals),
    complete_since: split.completeSince === null ? null : isoTime(split.completeSince),
  }
}

interface Part {
  readonly rows: readonly PartSums[]
  readonly isOther: boolean
}

function summed({ rows, isOther }: Part) {
  const [first] = rows
  return { id: first?.part ?? '', name: first?.name ?? '', is_other: isOther, ...sumUp(rows) }
}

function timesOf(rows: readonly PartSums[], times: readonly number[]) {
  const byTime = new Map(rows.map((row) => [row.time, row]))
  return times.map((time) => {
    const row = byTime.get(time)
    return {
      amount: formatNano(row?.amountNano ?? 0),
      requests: row?.requests ?? 0,
      first_byte_ms: meanOf(row),
    }
  })
}

const meanOf = (row: TimeSums | undefined) =>
  row?.begun && row.firstByteMs !== null ? Math.round(row.firstByteMs / row.begun) : null

/** What is left of the whole without these parts. */
function restOf(totals: UsageSplit['totals'], parts: readonly PartSums[]): readonly PartSums[] {
  const ofParts = Map.groupBy(parts, ({ time }) => time)
  return totals.map((total) => {
    const rows = ofParts.get(total.time) ?? []
    const minus = (name: keyof TimeSums) =>
      rows.reduce((rest, row) => rest - (row[name] ?? 0), total[name] ?? 0)
    const isKnown = [total, ...rows].every(({ failed }) => failed !== null)
    return {
      ...{ time: total.time, part: '', name: '', begun: null, firstByteMs: null },
      ...{ requests: minus('requests'), failed: isKnown ? minus('failed') : null },
      ...{ inputTokens: minus('inputTokens'), outputTokens: minus('outputTokens') },
      ...{ reasoningTokens: minus('reasoningTokens'), cacheReadTokens: minus('cacheReadTokens') },
      cacheWriteTokens: minus('cacheWriteTokens'),
      cacheWrite1hTokens: minus('cacheWrite1hTokens'),
      amountNano: minus('amountNano'),
    }
  })
}

type Summed = Omit<TimeSums, 'time' | 'begun' | 'firstByteMs'>

/** Sums rows; a sum is unknown if any part is. */
export function sumUp(rows: readonly Summed[]): Sums {
  const total = (value: (row: Summed) => number) => rows.reduce((sum, row) => sum + value(row), 0)
  return {
    requests: total(({ requests }) => requests),
    failed: rows.some(({ failed }) => failed === null) ? null : total(({ failed }) => failed ?? 0),
    input_tokens: total(({ inputTokens }) => inputTokens),
    output_tokens: total(({ outputTokens }) => outputTokens),
    reasoning_tokens: total(({ reasoningTokens }) => reasoningTokens),
    cache_read_tokens: total(({ cacheReadTokens }) => cacheReadTokens),
    cache_write_tokens: total((row) => row.cacheWriteTokens + row.cacheWrite1hTokens),
    amount: formatNano(costOf(rows)),
  }
}

/** Sums of a whole gateway may exceed safe integers. */
const costOf = (rows: readonly Pick<Summed, 'amountNano'>[]): bigint =>
  rows.reduce((sum, { amountNano }) => sum + BigInt(amountNano), 0n)

const requestsOf = (rows: readonly Pick<Summed, 'requests'>[]) =>
  rows.reduce((sum, { requests }) => sum + requests, 0)
