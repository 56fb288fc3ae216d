import type { UsageRange } from '../../admin/overview/schema.ts'
import { otherSlot, slotsOf } from '../lib/colours.ts'
import { formatDuration, formatUsd } from '../lib/format.ts'
import { bilingual, formatCount } from '../lib/language.ts'

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
  /** In step with the days; null: nothing is known. */
  readonly values: readonly (ChartValue | null)[]
}

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
    heights: values.map((value, day) => {
      const top = tops[day] ?? null
      const next = value === null ? top : (top ?? 0) + value.height
      tops[day] = next
      return next
    }),
  }))
  return stacked.reverse()
}

const heightOf = (value: ChartValue | null) => value?.height ?? null

/** Whether there is anything to be seen. */
export const isBlank = (series: readonly ChartSeries[]): boolean =>
  series.every(({ values }) => values.every((value) => value === null || value.height === 0))

type Words = (typeof usageText)['en']
type Day = UsageRange['days'][number]

/** What one calls a model of a range. */
export const modelLabel = (
  { model, is_other }: Pick<UsageRange['models'][number], 'model' | 'is_other'>,
  text: Words,
): string => (is_other ? text.other : model === '' ? text.noPrice : model)

/** Only the height of a bar is a float: its text is what was charged. */
const money = (usd: string): ChartValue => ({ height: Number(usd), text: formatUsd(usd) })

function modelsOf(usage: UsageRange, text: Words) {
  const named = usage.models.filter(({ is_other }) => !is_other).map(({ model }) => model)
  const slots = slotsOf(named)
  return usage.models.map((one) => ({
    key: one.is_other ? '(other)' : `=${one.model}`,
    label: modelLabel(one, text),
    slot: one.is_other ? otherSlot : (slots.get(one.model) ?? otherSlot),
    days: one.days,
  }))
}

export const spendingSeries = (usage: UsageRange, text: Words): readonly ChartSeries[] =>
  modelsOf(usage, text).map(({ days, ...one }) => ({
    ...one,
    values: days.map(({ amount }) => money(amount)),
  }))

/** More lines than this can't be followed. */
const maxLines = 6

/** Those models that were asked most; one that never began to answer has no line. */
export function firstByteSeries(usage: UsageRange, text: Words): readonly ChartSeries[] {
  const named = usage.models.filter(({ is_other }) => !is_other)
  const most = named.toSorted((a, b) => b.requests - a.requests).slice(0, maxLines)
  const kept = new Set(most.map(({ model }) => `=${model}`))
  return modelsOf(usage, text)
    .filter(({ key }) => kept.has(key))
    .map(({ days, ...one }) => ({
      ...one,
      values: days.map(({ first_byte_ms: ms }) =>
        ms === null ? null : { height: ms, text: formatDuration(ms) },
      ),
    }))
    .filter(({ values }) => values.some((value) => value !== null))
}

/** Kinds of LLM tokens, in the colours that differ most. */
export function tokenSeries(usage: UsageRange, text: Words) {
  const series = (key: keyof Day & `${string}_tokens`, label: string, slot: number) =>
    counts({ key, label, slot }, usage.days, (day) => day[key])
  return [
    series('input_tokens', text.input, 0),
    series('cache_read_tokens', text.cache_read, 3),
    series('cache_write_tokens', text.cache_write, 5),
    series('output_tokens', text.output, 2),
  ]
}

/** Where it is not known how many failed, nothing is said of the outcome. */
export function requestSeries(usage: UsageRange, text: Words) {
  const { days } = usage
  const all = [
    counts({ key: 'succeeded', label: text.succeeded, slot: 0 }, days, ({ requests, failed }) =>
      failed === null ? null : requests - failed,
    ),
    counts({ key: 'failed', label: text.failed, slot: 1 }, days, ({ failed }) => failed),
  ]
  if (days.every(({ failed }) => failed !== null)) return all
  const unknown = { key: 'unknown', label: text.outcomeUnknown, slot: otherSlot }
  const value = ({ requests, failed }: Day) => (failed === null ? requests : null)
  return [...all, counts(unknown, days, value)]
}

function counts(
  series: Omit<ChartSeries, 'values'>,
  days: readonly Day[],
  read: (day: Day) => number | null,
): ChartSeries {
  const values = days.map((day) => {
    const count = read(day)
    return count === null ? null : { height: count, text: formatCount(count) }
  })
  return { ...series, values }
}

export const usageText = bilingual({
  spending: ['Spending by day and model', '每日各模型消费'],
  tokens: ['LLM tokens by day', '每日 LLM Token 用量'],
  requests: ['Requests by day', '每日请求数'],
  requestCount: ['Requests', '请求数'],
  failedCount: ['{count} failed', '失败 {count} 次'],
  whyFailed: ['Look at them', '查看失败请求'],
  firstByte: ['Time to first token by model', '各模型首 Token 延迟'],
  firstByteNote: [
    'Mean of a day, of the models that were asked most. A gap: nothing was answered, or it was not measured.',
    '请求最多的模型的当日平均值。断开处表示没有应答或未测量。',
  ],
  other: ['other models', '其他模型'],
  noPrice: ['(model without a price)', '（无价格的模型）'],
  outcomeUnknown: ['Outcome not recorded', '结果未记录'],
  range: ['Days shown', '显示天数'],
  days: ['{count} days', '{count} 天'],
  notOver: ['Whole UTC days. The last, shaded, is not over.', '按 UTC 日；末尾带底色的尚未结束。'],
  byModel: ['By model', '按模型'],
  spent: ['Spent', '消费'],
})
