import {
  Button,
  Card,
  Group,
  Skeleton,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
} from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import { localeOf } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { type ChartKind, type ChartSeries, isBlank } from './chart-data.ts'
import { ChartLegend } from './chart-legend.tsx'
import { ChartTable } from './chart-table.tsx'
import { chartText } from './chart-text.ts'
import { ChartTip } from './chart-tip.tsx'

const ChartPlot = lazy(() =>
  import('./chart-plot.tsx').then(({ ChartPlot }) => ({ default: ChartPlot })),
)

export interface ChartProps {
  readonly title: string
  readonly kind: ChartKind
  /** UTC days; the last one is not over. */
  readonly days: readonly string[]
  /** At most some twelve: more are not told apart. */
  readonly series: readonly ChartSeries[]
  /** What stands beside the scale. */
  readonly scale: (height: number) => string
  /** Of each day, exactly; where the series add up to something. */
  readonly totals?: readonly string[]
  /** How it is to be read. */
  readonly note?: string
}

/** Figures by day, as a chart or as a table. What is not known is a gap, never nought. */
export function Chart({ title, kind, days, series, scale, totals, note }: ChartProps) {
  const text = useText(chartText)
  const { language } = useLanguage()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const [isTable, setIsTable] = useState(false)
  const [at, point] = useState<{ readonly index: number; readonly left: number } | null>(null)
  const plot = useMemo(() => {
    const short = new Intl.DateTimeFormat(localeOf(language), {
      ...{ month: 'short', day: 'numeric', timeZone: 'UTC' },
    } as const)
    const labels = days.map((day) => short.format(new Date(day)))
    return <ChartPlot {...{ kind, series, labels, scheme, scale }} onPoint={point} />
  }, [days, series, kind, scheme, scale, language])
  return (
    <Card withBorder padding="md" component="section" aria-label={title} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" miw={0}>
            {title}
          </Title>
          <Button
            variant="default"
            size="compact-xs"
            style={{ flex: 'none' }}
            aria-label={`${isTable ? text.asChart : text.asTable}: ${title}`}
            onClick={() => setIsTable(!isTable)}
          >
            {isTable ? text.asChart : text.asTable}
          </Button>
        </Group>
        {note && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
        {isTable ? (
          <ChartTable {...{ title, days, series, ...(totals && { totals }) }} />
        ) : isBlank(series) ? (
          <Text c="dimmed" py="xl" ta="center">
            {text.nothing}
          </Text>
        ) : (
          <>
            <div role="img" aria-label={text.describe(title)} style={{ position: 'relative' }}>
              <Suspense fallback={<Skeleton height={200} />}>{plot}</Suspense>
              {at && (
                <ChartTip {...{ at, days, series, kind, scheme, ...(totals && { totals }) }} />
              )}
            </div>
            <ChartLegend series={series} kind={kind} scheme={scheme} />
          </>
        )}
      </Stack>
    </Card>
  )
}
