/** A figure of a chart: how high it is drawn, and what it is exactly. */
export interface ChartValue {
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
export interface Plotted {
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
