import { describe, expect, test } from 'bun:test'
import type { UsageChart } from '../../../src/admin/overview/schema.ts'
import {
  firstByteSeries,
  requestSeries,
  searchOf,
  spendingSeries,
} from '../../../src/console/parts/chart-data.ts'
import { usageText } from '../../../src/console/parts/usage-text.ts'

const text = usageText.en
const sums = {
  ...{ requests: 3, failed: 1, input_tokens: 1, output_tokens: 2, reasoning_tokens: 0 },
  ...{ cache_read_tokens: 3, cache_write_tokens: 4, amount: '0.000000001' },
}
const usage: UsageChart = {
  ...{ unit: 'day', by: 'model', others: 3, complete_since: null, sum: sums, list: [] },
  times: [
    { time: '2026-11-21T00:00:00.000Z', ...sums, failed: null },
    { time: '2026-11-22T00:00:00.000Z', ...sums },
  ],
  parts: [
    {
      ...{ id: 'a', name: 'a', is_other: false, ...sums },
      times: [
        { amount: '9007199.254740993', requests: 1, first_byte_ms: null },
        { amount: '0', requests: 1, first_byte_ms: 250 },
      ],
    },
    {
      ...{ id: '', name: '', is_other: true, ...sums },
      times: [
        { amount: '0', requests: 1, first_byte_ms: null },
        { amount: '0', requests: 1, first_byte_ms: null },
      ],
    },
  ],
}

describe('the charts of what was used', () => {
  test('say an amount exactly, however it is drawn', () => {
    const [first] = spendingSeries(usage, text)
    expect(first?.values[0]?.text).toBe('$9,007,199.254740993')
  })

  test('leave a gap where nothing began to answer, and no line for the mix of others', () => {
    const lines = firstByteSeries(usage, text)
    expect(lines.map(({ label }) => label)).toEqual(['a'])
    expect(lines[0]?.values).toEqual([null, { height: 250, text: '250 ms' }])
  })

  test('do not say that requests succeeded of which it is not known', () => {
    const [succeeded, failed, unknown] = requestSeries(usage, text)
    expect(succeeded?.values[0]).toBeNull()
    expect(failed?.values[0]).toBeNull()
    expect(unknown?.values).toEqual([{ height: 3, text: '3' }, null])
    expect(succeeded?.values[1]).toEqual({ height: 2, text: '2' })
  })

  test('say how many the others are, and lead to the requests of each part', () => {
    expect(spendingSeries(usage, text).map(({ label }) => label)).toEqual(['a', '3 other models'])
    const [part] = usage.parts
    if (part === undefined) throw new Error('It has a part.')
    expect(searchOf(part, 'model')).toEqual({ model: 'a' })
    expect(searchOf({ ...part, id: '7' }, 'token')).toEqual({ token: '7' })
    expect(searchOf({ ...part, is_other: true }, 'model')).toBeNull()
  })
})
