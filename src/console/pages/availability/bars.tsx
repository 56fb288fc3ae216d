import { Group, Text } from '@mantine/core'
import type { StatusGroup } from '../../../site/status/schema.ts'
import { useText } from '../../lib/language.ts'
import { SmallHint } from '../../parts/text.tsx'
import { texts } from './text.ts'

type Bar = StatusGroup['hours'][number]
type Level = 'good' | 'some' | 'degraded' | 'down' | 'empty'

/** What a bar shows, by the same bounds as the states of the status page. */
function levelOf({ requests, failed }: Bar): Level {
  if (requests === 0) return 'empty'
  const ratio = (requests - failed) / requests
  if (ratio < 0.5) return 'down'
  if (ratio < 0.95) return 'degraded'
  return failed === 0 ? 'good' : 'some'
}

/** Worse is lower, so that it is seen without colours, too. */
const looks: Readonly<Record<Level, { readonly height: number; readonly colour: string }>> = {
  good: { height: 24, colour: 'var(--mantine-color-teal-7)' },
  some: { height: 21, colour: 'var(--mantine-color-teal-4)' },
  degraded: { height: 14, colour: 'var(--mantine-color-orange-6)' },
  down: { height: 8, colour: 'var(--mantine-color-red-7)' },
  empty: { height: 2, colour: 'var(--mantine-color-gray-5)' },
}

/** What was measured, oldest first. Where there was nothing there is a thin line. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const text = useText(texts)
  const counts = { good: 0, some: 0, degraded: 0, down: 0, empty: 0 }
  for (const bar of bars) counts[levelOf(bar)]++
  const placed = bars.map((bar, place) => ({ bar, place }))
  return (
    <div>
      <SmallHint>{label}</SmallHint>
      <svg
        role="img"
        aria-label={`${label}: ${text.summary(counts)}`}
        viewBox={`0 0 ${bars.length * 4 - 1} 24`}
        preserveAspectRatio="none"
        width="100%"
        height="28"
      >
        {placed.map(({ bar, place }) => {
          const { height, colour } = looks[levelOf(bar)]
          return (
            <rect key={place} x={place * 4} y={24 - height} width="3" height={height} fill={colour}>
              <title>
                {bar.requests === 0 ? text.no_data : text.bar(bar.failed, bar.requests)}
              </title>
            </rect>
          )
        })}
      </svg>
    </div>
  )
}

/** The key to the drawings. */
export function BarLegend() {
  const text = useText(texts)
  const entries = [
    ['good', text.all],
    ['some', text.some],
    ['degraded', text.degraded],
    ['down', text.down],
    ['empty', text.no_data],
  ] as const
  return (
    <Group gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {entries.map(([level, word]) => (
        <Group key={level} component="li" gap={6} wrap="nowrap">
          <svg width="6" height="24" aria-hidden>
            <rect
              y={24 - looks[level].height}
              width="6"
              height={looks[level].height}
              fill={looks[level].colour}
            />
          </svg>
          <Text size="xs">{word}</Text>
        </Group>
      ))}
    </Group>
  )
}
