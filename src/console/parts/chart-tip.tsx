import { Group, Paper, Text } from '@mantine/core'
import type { Scheme } from '../lib/colours.ts'
import { useText } from '../lib/language.tsx'
import type { ChartKind, ChartSeries } from './chart-data.ts'
import { Swatch } from './chart-legend.tsx'
import { chartText } from './chart-text.ts'

interface ChartTipProps {
  readonly at: { readonly index: number; readonly left: number }
  readonly days: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly totals?: readonly string[]
  readonly kind: ChartKind
  readonly scheme: Scheme
}

/** What the column below the pointer is, exactly. The table says the same. */
export function ChartTip({ at, days, series, totals, kind, scheme }: ChartTipProps) {
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
