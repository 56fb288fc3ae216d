import { formatNano } from '../../billing/money.ts'
import { dayMs, utcDay } from '../../lib/clock.ts'
import type { ModelDayUsage, UsageSums } from '../../store/ports/lists.ts'
import type { Sums, UsageRange } from './schema.ts'

type Summed = Omit<UsageSums, 'firstByteMs'>

/** So many UTC days up to that of `now`, oldest first. */
export const daysUntil = (now: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => utcDay(now - (count - 1 - index) * dayMs))

/** The first day of the UTC month. */
export const monthOf = (day: string): string => `${day.slice(0, 7)}-01`

/** Adds up exactly; what is not known of one part is not known of the whole. */
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
    amount: sumOfMoney(rows),
  }
}

/** The sums of a whole gateway may leave the integers that a number holds. */
export const sumOfMoney = (rows: readonly Pick<UsageSums, 'amountNano'>[]): string =>
  formatNano(rows.reduce((sum, { amountNano }) => sum + BigInt(amountNano), 0n))

/** Puts sums by day and model on the days of a range: days without a row had no request. */
export function usageRange(rows: readonly ModelDayUsage[], days: readonly string[]): UsageRange {
  const byDay = Map.groupBy(rows, ({ day }) => day)
  // A model of the name `other` is not the others.
  const byModel = Map.groupBy(rows, ({ model, isOther }) => `${isOther}${model}`)
  const models = [...byModel.values()].map((own) => modelOf(own, days))
  const cost = (own: readonly ModelDayUsage[]) =>
    own.reduce((sum, { amountNano }) => sum + BigInt(amountNano), 0n)
  const order = [...byModel.values()].map((own, index) => ({
    index,
    cost: cost(own),
    isOther: own[0]?.isOther === true,
  }))
  order.sort((a, b) => Number(a.isOther) - Number(b.isOther) || (a.cost < b.cost ? 1 : -1))
  return {
    today: days.at(-1) ?? '',
    days: days.map((day) => ({ day, ...sumUp(byDay.get(day) ?? []) })),
    models: order.flatMap(({ index }) => models[index] ?? []),
    sum: sumUp(rows),
  }
}

function modelOf(rows: readonly ModelDayUsage[], days: readonly string[]) {
  const [first] = rows
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return {
    model: first?.model ?? '',
    is_other: first?.isOther ?? false,
    ...sumUp(rows),
    days: days.map((day) => {
      const row = byDay.get(day)
      return { amount: formatNano(row?.amountNano ?? 0), first_byte_ms: row?.firstByteMs ?? null }
    }),
  }
}
