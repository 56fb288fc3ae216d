import { expect, test } from 'bun:test'
import { spanOf, usageChart } from '../../../src/admin/overview/split.ts'
import type { PartSums } from '../../../src/store/ports/usage-split.ts'

const hourMs = 3_600_000
const now = Date.UTC(2026, 10, 21, 12, 30)
const row = (part: string, amountNano: number, more: Partial<PartSums> = {}): PartSums => ({
  ...{ time: now - (now % hourMs), part, name: part, requests: 1, failed: 0, amountNano },
  ...{ inputTokens: 1, outputTokens: 0, reasoningTokens: 0, begun: 1, firstByteMs: 5 },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  ...more,
})
const shown = { ...spanOf(now, 1), by: 'model', drawn: 2, listed: 0 } as const

test('a chart has the last 24 hours, or so many UTC days, the present one last', () => {
  expect(spanOf(now, 1).times).toHaveLength(24)
  expect(spanOf(now, 1).times.at(-1)).toBe(Date.UTC(2026, 10, 21, 12))
  expect(spanOf(now, 3).times.map((time) => new Date(time).toISOString().slice(0, 10))).toEqual([
    ...['2026-11-19', '2026-11-20', '2026-11-21'],
  ])
})

test('the others are all that is left of the whole, to the last nano', () => {
  const { part: _, name: __, ...total } = row('', Number.MAX_SAFE_INTEGER, { requests: 9 })
  const parts = [row('a', 3), row('b', 2)]
  const split = { totals: [total], parts, partCount: 5, completeSince: null }
  const chart = usageChart(split, shown)
  expect(chart.others).toBe(3)
  expect(chart.parts.at(-1)).toMatchObject({
    ...{ is_other: true, requests: 7, amount: '9007199.254740986' },
  })
  expect(chart.sum.amount).toBe('9007199.254740991')
  expect(chart.list).toEqual([])
  // What is listed and not drawn is still one of the others of the chart.
  const opened = usageChart(split, { ...shown, drawn: 1, listed: 2 })
  const names = (of: readonly { name: string; is_other: boolean; amount: string }[]) =>
    of.map(({ name, is_other, amount }) => [is_other ? 'others' : name, amount])
  expect(names(opened.parts)).toEqual([
    ['a', '0.000000003'],
    ['others', '9007199.254740988'],
  ])
  expect(opened.others).toBe(4)
  expect(names(opened.list)).toEqual([
    ['a', '0.000000003'],
    ['b', '0.000000002'],
    ['others', '9007199.254740986'],
  ])
  // As many as were asked for, though more are drawn.
  expect(names(usageChart(split, { ...shown, listed: 1 }).list)).toEqual(names(opened.parts))
})

test('of failures that are not known of the whole, none are told of the others', () => {
  const { part: _, name: __, ...total } = row('', 5, { failed: null })
  const split = { totals: [total], parts: [row('a', 3)], partCount: 2, completeSince: null }
  expect(usageChart(split, shown).parts.map(({ failed }) => failed)).toEqual([0, null])
})
