import { Group, Text } from '@mantine/core'
import { colourOf, dashOf, type Scheme } from '../lib/colours.ts'
import type { ChartKind, ChartSeries } from './chart-data.ts'

interface ChartLegendProps {
  readonly series: readonly ChartSeries[]
  readonly kind: ChartKind
  readonly scheme: Scheme
}

/** Which colour means what. */
export const ChartLegend = ({ series, kind, scheme }: ChartLegendProps) => (
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
export function Swatch({
  slot,
  kind,
  scheme,
}: Omit<ChartLegendProps, 'series'> & { slot: number }) {
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
