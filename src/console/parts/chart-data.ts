import type { UsageChart } from '../../admin/overview/schema.ts'
import { formatUsd } from '../../look/money.ts'
import { otherSlot, slotsOf } from '../lib/colours.ts'
import { formatDuration } from '../lib/format.ts'
import { formatCount } from '../lib/language.ts'
import type { usageText } from './usage-text.ts'

/** A figure of a chart: how high it is drawn, and what it is exactly. */
interface ChartValue {
  readonly height: number
  readonly text: string
}

export interface ChartSeries {
  readonly key: string
  readonly label: string
  /** Place among the colours. */
  readonly slot: number
  /** In step with the times; null: nothing is known. */
  readonly values: readonly (ChartValue | null)[]
  /** Filters that show its requests; null: none do. */
  readonly search: RequestSearch | null
}

/** Filters of the list of requests, as its address has them. */
export type RequestSearch = { readonly [name: string]: string }

export type ChartKind = 'bars' | 'lines'

/** What is drawn: columns of heights, in the order in which they are painted. */
interface Plotted {
  readonly slot: number
  readonly heights: (number | null)[]
}

/**
 * Lines are drawn as they are. Bars stand upon each other: the highest is painted first and the next
 * over it, so that what one sees of each is its own part.
 */
export function plotted(series: readonly ChartSeries[], kind: ChartKind): readonly Plotted[] {
  if (kind === 'lines') {
    return series.map(({ slot, values }) => ({ slot, heights: values.map(heightOf) }))
  }
  const tops: (number | null)[] = (series[0]?.values ?? []).map(() => null)
  const stacked = series.map(({ slot, values }) => ({
    slot,
    heights: values.map((value, at) => {
      const top = tops[at] ?? null
      const next = value === null ? top : (top ?? 0) + value.height
      tops[at] = next
      return next
    }),
  }))
  return stacked.reverse()
}

const heightOf = (value: ChartValue | null) => value?.height ?? null

/** Whether there is anything to be seen. */
export const isBlank = (series: readonly ChartSeries[]): boolean =>
  series.every(({ values }) => values.every((value) => value === null || value.height === 0))

/** Which of the bars in a column a height lies in; undefined: above them all. */
export function seriesAt(series: readonly ChartSeries[], at: number, height: number) {
  let top = 0
  return series.find(({ values }) => {
    top += values[at]?.height ?? 0
    return height <= top
  })
}

type Words = (typeof usageText)['en']
type Time = UsageChart['times'][number]
type Part = UsageChart['list'][number]

/** What one calls a part of a chart. */
export function partLabel(
  { name, is_other }: Part,
  { by, others }: Pick<UsageChart, 'by' | 'others'>,
  text: Words,
): string {
  if (is_other) return text.others[by](others)
  return name === '' ? text.without[by] : name
}

/** The filter that shows the requests of a part. */
export function searchOf({ id, name, is_other }: Part, by: UsageChart['by']): RequestSearch | null {
  if (is_other || id === '') return null
  return by === 'token' ? { token: id } : { [by]: name }
}

/** Only the height of a bar is a float: its text is what was charged. */
const money = (usd: string): ChartValue => ({ height: Number(usd), text: formatUsd(usd) })

const keyOf = ({ id, is_other }: Part) => (is_other ? '(other)' : `=${id}`)

function partsOf(usage: UsageChart, text: Words) {
  const named = usage.parts.filter(({ is_other }) => !is_other).map(({ name }) => name)
  const slots = slotsOf(named)
  return usage.parts.map((one) => ({
    key: keyOf(one),
    label: partLabel(one, usage, text),
    slot: one.is_other ? otherSlot : (slots.get(one.name) ?? otherSlot),
    times: one.times,
    search: searchOf(one, usage.by),
  }))
}

export const spendingSeries = (usage: UsageChart, text: Words): readonly ChartSeries[] =>
  partsOf(usage, text).map(({ times, ...one }) => ({
    ...one,
    values: times.map(({ amount }) => money(amount)),
  }))

/** Requests by part. */
export const askedSeries = (usage: UsageChart, text: Words): readonly ChartSeries[] =>
  partsOf(usage, text).map(({ times, ...one }) => ({
    ...one,
    values: times.map(({ requests }) => ({ height: requests, text: formatCount(requests) })),
  }))

/** More lines than this can't be followed. */
const maxLines = 6

/** Those parts that were asked most; one that never began to answer has no line. */
export function firstByteSeries(usage: UsageChart, text: Words): readonly ChartSeries[] {
  const named = usage.parts.filter(({ is_other }) => !is_other)
  const most = named.toSorted((a, b) => b.requests - a.requests).slice(0, maxLines)
  const kept = new Set(most.map(keyOf))
  return partsOf(usage, text)
    .filter(({ key }) => kept.has(key))
    .map(({ times, ...one }) => ({
      ...one,
      values: times.map(({ first_byte_ms: ms }) =>
        ms === null ? null : { height: ms, text: formatDuration(ms) },
      ),
    }))
    .filter(({ values }) => values.some((value) => value !== null))
}

/** Kinds of LLM tokens, in the colours that differ most. */
export function tokenSeries(usage: UsageChart, text: Words) {
  const series = (key: keyof Time & `${string}_tokens`, label: string, slot: number) =>
    counts({ key, label, slot, search: null }, usage.times, (time) => time[key])
  return [
    series('input_tokens', text.input, 0),
    series('cache_read_tokens', text.cache_read, 3),
    series('cache_write_tokens', text.cache_write, 5),
    series('output_tokens', text.output, 2),
  ]
}

/** Where it is not known how many failed, nothing is said of the outcome. */
export function requestSeries(usage: UsageChart, text: Words) {
  const { times } = usage
  const all = [
    counts({ ...ofOutcome('succeeded', text), slot: 0 }, times, ({ requests, failed }) =>
      failed === null ? null : requests - failed,
    ),
    counts({ ...ofOutcome('failed', text), slot: 1 }, times, ({ failed }) => failed),
  ]
  if (times.every(({ failed }) => failed !== null)) return all
  const unknown = { key: 'unknown', label: text.outcomeUnknown, slot: otherSlot, search: null }
  const value = ({ requests, failed }: Time) => (failed === null ? requests : null)
  return [...all, counts(unknown, times, value)]
}

const ofOutcome = (outcome: 'succeeded' | 'failed', text: Words) => ({
  ...{ key: outcome, label: text[outcome], search: { outcome } },
})

function counts(
  series: Omit<ChartSeries, 'values'>,
  times: readonly Time[],
  read: (time: Time) => number | null,
): ChartSeries {
  const values = times.map((time) => {
    const count = read(time)
    return count === null ? null : { height: count, text: formatCount(count) }
  })
  return { ...series, values }
}
