import {
  Box,
  Button,
  Card,
  Group,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
  useComputedColorScheme,
} from '@mantine/core'
import { lazy, Suspense, useMemo, useState } from 'react'
import { colourOf, dashOf, type Scheme } from '../lib/colours.ts'
import { bilingual, localeOf, useLanguage, useText } from '../lib/language.ts'
import { type ChartKind, type ChartSeries, isBlank } from './chart-data.ts'
import { Hint } from './text.tsx'

const ChartPlot = lazy(() =>
  import('./chart-plot.tsx').then(({ ChartPlot }) => ({ default: ChartPlot })),
)

interface ChartProps {
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
        {note && <Hint>{note}</Hint>}
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

interface ChartLegendProps {
  readonly series: readonly ChartSeries[]
  readonly kind: ChartKind
  readonly scheme: Scheme
}

/** Which colour means what. */
const ChartLegend = ({ series, kind, scheme }: ChartLegendProps) => (
  <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
    {series.map(({ key, label, slot }) => (
      <Group key={key} component="li" gap={6} wrap="nowrap">
        <Swatch slot={slot} kind={kind} scheme={scheme} />
        <Text size="xs" className="cut">
          {label}
        </Text>
      </Group>
    ))}
  </Group>
)

/** A piece of what the chart shows. */
function Swatch({ slot, kind, scheme }: Omit<ChartLegendProps, 'series'> & { slot: number }) {
  const colour = colourOf(slot, scheme)
  return (
    <svg width="18" height="10" aria-hidden style={{ flex: 'none' }}>
      {kind === 'bars' ? (
        <rect width="12" height="10" x="3" rx="2" fill={colour} />
      ) : (
        <path
          d="M0 5h18"
          stroke={colour}
          strokeWidth="2"
          strokeDasharray={dashOf(slot).join(' ')}
        />
      )}
    </svg>
  )
}

interface ChartTipProps {
  readonly at: { readonly index: number; readonly left: number }
  readonly days: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly totals?: readonly string[]
  readonly kind: ChartKind
  readonly scheme: Scheme
}

/** What the column below the pointer is, exactly. The table says the same. */
function ChartTip({ at, days, series, totals, kind, scheme }: ChartTipProps) {
  const text = useText(chartText)
  const { index } = at
  const isRight = index > days.length / 2
  const present = series.filter(({ values }) => values[index] && values[index].height > 0)
  return (
    <Paper
      shadow="md"
      withBorder
      p="xs"
      aria-hidden
      style={{
        position: 'absolute',
        top: 8,
        ...(isRight ? { left: 70 } : { right: 8 }),
        maxWidth: 'min(280px, 65%)',
        pointerEvents: 'none',
        zIndex: 5,
      }}
    >
      <Text size="xs" fw={600}>
        {days[index]}
        {index === days.length - 1 && ` · ${text.notOver}`}
      </Text>
      {present.map(({ key, label, slot, values }) => (
        <Row key={key} label={label} figure={values[index]?.text ?? text.unknown}>
          <Swatch slot={slot} kind={kind} scheme={scheme} />
        </Row>
      ))}
      {totals && <Row label={text.total} figure={totals[index] ?? ''} />}
    </Paper>
  )
}

interface RowProps {
  readonly label: string
  readonly figure: string
  readonly children?: React.ReactNode
}

const Row = ({ label, figure, children }: RowProps) => (
  <Group gap="sm" justify="space-between" wrap="nowrap">
    <Group gap={6} wrap="nowrap" miw={0}>
      {children}
      <Text size="xs" truncate>
        {label}
      </Text>
    </Group>
    <Text size="xs" fw={500} style={{ whiteSpace: 'nowrap' }}>
      {figure}
    </Text>
  </Group>
)

interface ChartTableProps {
  readonly title: string
  readonly days: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly totals?: readonly string[]
}

/** What a chart shows, newest first; what is not known is a dash. */
function ChartTable({ title, days, series, totals }: ChartTableProps) {
  const text = useText(chartText)
  const newestFirst = days.map((day, index) => ({ day, index })).reverse()
  return (
    <Box
      component="section"
      style={{ overflow: 'auto', maxHeight: 320 }}
      // What scrolls is to be reached by the keyboard.
      tabIndex={0}
      aria-label={text.table(title)}
    >
      <Table stickyHeader withRowBorders={false} fz="sm">
        <Table.Caption className="visually-hidden">{text.table(title)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.day}</Table.Th>
            {series.map(({ key, label }) => (
              <Table.Th key={key} ta="end" miw="8rem" className="cut">
                {label}
              </Table.Th>
            ))}
            {totals && <Table.Th ta="end">{text.total}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newestFirst.map(({ day, index }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                {day}
                {index === days.length - 1 && ` (${text.notOver})`}
              </Table.Th>
              {series.map(({ key, values }) => (
                <Table.Td key={key} ta="end">
                  {values[index]?.text ?? text.unknown}
                </Table.Td>
              ))}
              {totals && <Table.Td ta="end">{totals[index]}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

/** Words of every chart. */
const chartText = bilingual({
  asTable: ['As a table', '以表格显示'],
  asChart: ['As a chart', '以图表显示'],
  day: ['Day (UTC)', '日期（UTC）'],
  total: ['Total', '合计'],
  nothing: ['Nothing in these days.', '这些天没有数据。'],
  unknown: ['—', '—'],
  notOver: ['not over', '未结束'],
  describe: [
    '{title}: a chart by UTC day. The button shows it as a table.',
    '{title}：按 UTC 日期的图表，可用按钮切换为表格。',
  ],
  table: ['{title}, by UTC day', '{title}，按 UTC 日期'],
})
