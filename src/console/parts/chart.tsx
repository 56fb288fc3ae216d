import {
  Anchor,
  Button,
  Card,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
} from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { colourOf, dashOf } from '../lib/colours.ts'
import { useText } from '../lib/language.ts'
import { type ChartKind, type ChartSeries, isBlank, seriesAt } from './chart-data.ts'
import { ChartTable, chartText } from './chart-table.tsx'
import { AnchorLink, Hint } from './text.tsx'

const ChartPlot = lazy(() =>
  import('./chart-plot.tsx').then(({ ChartPlot }) => ({ default: ChartPlot })),
)

/** An hour or a day of a chart. */
export interface ChartTime {
  /** Below the axis. */
  readonly label: string
  /** Where there is room. */
  readonly name: string
  readonly since: string
  readonly until: string
}

export interface ChartProps {
  readonly title: string
  readonly kind: ChartKind
  /** The last one is not over. */
  readonly times: readonly ChartTime[]
  /** At most some twelve: more are not told apart. */
  readonly series: readonly ChartSeries[]
  readonly scale: (heights: readonly number[]) => readonly string[]
  /** What it all adds up to. */
  readonly sum?: ReactNode
  /** Of each time, exactly; where the series add up to something. */
  readonly totals?: readonly string[]
  readonly note?: string
  /** The list of the requests that it is made of. */
  readonly to: '/requests' | '/admin/requests'
  /** Shows what the series `(other)` is made of. */
  readonly openOthers?: () => void
}

/** Figures by time, as a chart or as a table. What is not known is a gap, never nought. */
export function Chart(props: ChartProps) {
  const { title, series, note, sum } = props
  const text = useText(chartText)
  const [isTable, setIsTable] = useState(false)
  const other = isTable ? text.asChart : text.asTable
  return (
    <Card withBorder padding="md" component="section" aria-label={title} miw={0} h="100%">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={2} size="h5" miw={0}>
              {title}
            </Title>
            {sum !== undefined && (
              <Text fz="lg" fw={600} component="div">
                {sum}
              </Text>
            )}
          </div>
          <Button
            {...{ variant: 'default', size: 'compact-xs', flex: 'none' }}
            aria-label={`${other}: ${title}`}
            onClick={() => setIsTable(!isTable)}
          >
            {other}
          </Button>
        </Group>
        {note && <Hint>{note}</Hint>}
        {isTable ? (
          <ChartTable {...props} />
        ) : isBlank(series) ? (
          <Text c="dimmed" py="xl" ta="center">
            {text.nothing}
          </Text>
        ) : (
          <Drawing {...props} />
        )}
      </Stack>
    </Card>
  )
}

function Drawing(props: ChartProps) {
  const { title, kind, times, series, scale, to } = props
  const text = useText(chartText)
  const navigate = useNavigate()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const [at, point] = useState<{ readonly index: number } | null>(null)
  const plot = useMemo(() => {
    const labels = times.map(({ label }) => label)
    const pick = (index: number, height: number) => {
      const time = times[index]
      const part = kind === 'bars' ? seriesAt(series, index, height) : undefined
      if (!time) return
      const { since, until } = time
      void navigate({ to, search: { ...part?.search, since, until } })
    }
    return <ChartPlot {...{ kind, series, labels, scheme, scale }} onPoint={point} onPick={pick} />
  }, [times, series, kind, scheme, scale, to, navigate])
  return (
    <>
      <div role="img" aria-label={text.describe(title)} style={{ position: 'relative' }}>
        <Suspense fallback={<Skeleton height={200} />}>{plot}</Suspense>
        {at && <ChartTip {...props} index={at.index} />}
      </div>
      <Legend {...props} />
    </>
  )
}

/** What each colour means; a name leads to the requests, that of the others opens them. */
function Legend({ series, kind, times, to, openOthers }: ChartProps) {
  const { since } = times[0] ?? {}
  return (
    <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {series.map(({ key, label, slot, search }) => (
        <Group key={key} component="li" gap={6} wrap="nowrap">
          <Swatch slot={slot} kind={kind} />
          {search ? (
            <AnchorLink size="xs" c="inherit" className="cut" to={to} search={{ ...search, since }}>
              {label}
            </AnchorLink>
          ) : key === '(other)' && openOthers ? (
            <Anchor component="button" type="button" size="xs" onClick={openOthers}>
              {label}
            </Anchor>
          ) : (
            <Text size="xs" className="cut">
              {label}
            </Text>
          )}
        </Group>
      ))}
    </Group>
  )
}

function Swatch({ slot, kind }: { readonly slot: number; readonly kind: ChartKind }) {
  const stroke = colourOf(slot, useComputedColorScheme('light'))
  return (
    <svg width="18" height="10" aria-hidden style={{ flex: 'none' }}>
      {kind === 'bars' ? (
        <rect width="12" height="10" x="3" rx="2" fill={stroke} />
      ) : (
        <path
          d="M0 5h18"
          {...{ stroke, strokeWidth: 2, strokeDasharray: dashOf(slot).join(' ') }}
        />
      )}
    </svg>
  )
}

/** The exact figures of the column below the pointer. The table has the same. */
function ChartTip({ index, times, series, totals, kind }: ChartProps & { readonly index: number }) {
  const text = useText(chartText)
  const isRight = index > times.length / 2
  const present = series.filter(({ values }) => values[index] && values[index].height > 0)
  const row = (key: string, label: string, figure: string, swatch?: ReactNode) => (
    <Group key={key} gap="sm" justify="space-between" wrap="nowrap">
      <Group gap={6} wrap="nowrap" miw={0}>
        {swatch}
        <Text size="xs" truncate>
          {label}
        </Text>
      </Group>
      <Text size="xs" fw={500} style={{ whiteSpace: 'nowrap' }}>
        {figure}
      </Text>
    </Group>
  )
  return (
    <Paper
      {...{ shadow: 'md', withBorder: true, p: 'xs', 'aria-hidden': true }}
      {...{ pos: 'absolute', top: 8, maw: 'min(280px, 65%)' }}
      {...(isRight ? { left: 70 } : { right: 8 })}
      style={{ pointerEvents: 'none', zIndex: 5 }}
    >
      <Text size="xs" fw={600}>
        {times[index]?.name}
        {index === times.length - 1 && ` · ${text.notOver}`}
      </Text>
      {present.map(({ key, label, slot, values }) =>
        row(key, label, values[index]?.text ?? '—', <Swatch slot={slot} kind={kind} />),
      )}
      {totals && row('total', text.total, totals[index] ?? '')}
      <Text size="xs" c="dimmed" mt={4}>
        {text.click}
      </Text>
    </Paper>
  )
}
