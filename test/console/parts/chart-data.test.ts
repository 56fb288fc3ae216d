import { describe, expect, test } from 'bun:test'
import {
  type ChartSeries,
  isBlank,
  plotted,
  seriesAt,
} from '../../../src/console/parts/chart-data.ts'

const series = (slot: number, ...heights: readonly (number | null)[]): ChartSeries => ({
  ...{ key: String(slot), label: String(slot), slot },
  search: null,
  values: heights.map((height) => (height === null ? null : { height, text: String(height) })),
})

describe('what is plotted', () => {
  test('bars stand upon each other, the highest painted first', () => {
    expect(plotted([series(0, 1, 2), series(1, 10, 20)], 'bars')).toEqual([
      { slot: 1, heights: [11, 22] },
      { slot: 0, heights: [1, 2] },
    ])
  })

  test('a day of which nothing is known is a gap, and never nought', () => {
    expect(plotted([series(0, null, 5), series(1, null, null)], 'bars')).toEqual([
      { slot: 1, heights: [null, 5] },
      { slot: 0, heights: [null, 5] },
    ])
    expect(plotted([series(0, null, 5)], 'lines')).toEqual([{ slot: 0, heights: [null, 5] }])
  })

  test('what is clicked is the bar at that height, and none above them', () => {
    const bars = [series(0, 1, 5), series(1, null, 2)]
    expect([0.5, 1, 1.5].map((height) => seriesAt(bars, 0, height)?.slot)).toEqual([
      0,
      0,
      undefined,
    ])
    expect([4, 6, 8].map((height) => seriesAt(bars, 1, height)?.slot)).toEqual([0, 1, undefined])
  })

  test('lines do not add up', () => {
    expect(plotted([series(0, 1), series(1, 2)], 'lines').map(({ heights }) => heights)).toEqual([
      [1],
      [2],
    ])
  })

  test('is nothing where all is nought or unknown', () => {
    expect(isBlank([series(0, 0, null)])).toBe(true)
    expect(isBlank([series(0, 0, 1)])).toBe(false)
  })
})
