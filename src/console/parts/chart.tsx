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
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { colourOf, dashOf } from '../lib/colours.ts'
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
  readonly scale: (height: number) => string
  /** Of each day, exactly; where the series add up to something. */
  readonly totals?: readonly string[]
  readonly note?: string
}

/** Figures by day, as a chart or as a table. What is not known is a gap, never nought. */
export function Chart(props: ChartProps) {
  const { title, kind, days, series, scale, note } = props
  const text = useText(chartText)
  const { language } = useLanguage()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const [isTable, setIsTable] = useState(false)
  const [at, point] = useState<{ readonly index: number } | null>(null)
  const plot = useMemo(() => {
    const short = new Intl.DateTimeFormat(localeOf(language), {
      ...({ month: 'short', day: 'numeric', timeZone: 'UTC' } as const),
    })
    const labels = days.map((day) => short.format(new Date(day)))
    return <ChartPlot {...{ kind, series, labels, scheme, scale }} onPoint={point} />
  }, [days, series, kind, scheme, scale, language])
  const other = isTable ? text.asChart : text.asTable
  return (
    <Card withBorder padding="md" component="section" aria-label={title} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" miw={0}>
            {title}
          </Title>
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
          <>
            <div role="img" aria-label={text.describe(title)} style={{ position: 'relative' }}>
              <Suspense fallback={<Skeleton height={200} />}>{plot}</Suspense>
              {at && <ChartTip {...props} index={at.index} />}
            </div>
            <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {series.map(({ key, label, slot }) => (
                <Group key={key} component="li" gap={6} wrap="nowrap">
                  <Swatch slot={slot} kind={kind} />
                  <Text size="xs" className="cut">
                    {label}
                  </Text>
                </Group>
              ))}
            </Group>
          </>
        )}
      </Stack>
    </Card>
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
function ChartTip({ index, days, series, totals, kind }: ChartProps & { readonly index: number }) {
  const text = useText(chartText)
  const isRight = index > days.length / 2
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
        {days[index]}
        {index === days.length - 1 && ` · ${text.notOver}`}
      </Text>
      {present.map(({ key, label, slot, values }) =>
        row(key, label, values[index]?.text ?? '—', <Swatch slot={slot} kind={kind} />),
      )}
      {totals && row('total', text.total, totals[index] ?? '')}
    </Paper>
  )
}

/** The figures of a chart, newest first; what is not known is a dash. */
function ChartTable({ title, days, series, totals }: ChartProps) {
  const text = useText(chartText)
  const newestFirst = days.map((day, index) => ({ day, index })).reverse()
  const columns = [
    ...series.map(({ key, label, values }) => ({
      ...{ key, label, figures: values.map((value) => value?.text ?? '—') },
    })),
    ...(totals ? [{ key: 'total', label: text.total, figures: totals }] : []),
  ]
  return (
    // What scrolls must be reached by the keyboard.
    <Box
      {...{ component: 'section', mah: 320, tabIndex: 0, 'aria-label': text.table(title) }}
      style={{ overflow: 'auto' }}
    >
      <Table stickyHeader withRowBorders={false} fz="sm">
        <Table.Caption className="visually-hidden">{text.table(title)}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.day}</Table.Th>
            {columns.map(({ key, label }) => (
              <Table.Th key={key} ta="end" miw="8rem" className="cut">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newestFirst.map(({ day, index }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: 'nowrap' }}>
                {day}
                {index === days.length - 1 && ` (${text.notOver})`}
              </Table.Th>
              {columns.map(({ key, figures }) => (
                <Table.Td key={key} ta="end">
                  {figures[index]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  )
}

const chartText = bilingual({
  asTable: ['As a table', '以表格显示'],
  asChart: ['As a chart', '以图表显示'],
  day: ['Day (UTC)', '日期（UTC）'],
  total: ['Total', '合计'],
  nothing: ['Nothing in these days.', '这些天没有数据。'],
  notOver: ['not over', '未结束'],
  describe: [
    '{title}: a chart by UTC day. The button shows it as a table.',
    '{title}：按 UTC 日期的图表，可用按钮切换为表格。',
  ],
  table: ['{title}, by UTC day', '{title}，按 UTC 日期'],
})
