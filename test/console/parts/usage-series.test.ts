import { describe, expect, test } from 'bun:test'
import type { UsageRange } from '../../../src/admin/overview/schema.ts'
import {
  firstByteSeries,
  requestSeries,
  spendingSeries,
  usageText,
} from '../../../src/console/parts/chart-data.ts'

const text = usageText.en
const sums = {
  ...{ requests: 3, failed: 1, input_tokens: 1, output_tokens: 2, reasoning_tokens: 0 },
  ...{ cache_read_tokens: 3, cache_write_tokens: 4, amount: '0.000000001' },
}
const usage: UsageRange = {
  today: '2026-11-22',
  days: [
    { day: '2026-11-21', ...sums, failed: null },
    { day: '2026-11-22', ...sums },
  ],
  models: [
    {
      ...{ model: 'a', is_other: false, ...sums },
      days: [
        { amount: '9007199.254740993', first_byte_ms: null },
        { amount: '0', first_byte_ms: 250 },
      ],
    },
    {
      ...{ model: 'other', is_other: true, ...sums },
      days: [
        { amount: '0', first_byte_ms: 1 },
        { amount: '0', first_byte_ms: 1 },
      ],
    },
  ],
  sum: sums,
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
})
