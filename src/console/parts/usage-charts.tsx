import { Box, SimpleGrid } from '@mantine/core'
import { useMemo } from 'react'
import type { Sums, UsageChart } from '../../admin/overview/schema.ts'
import { formatUsd } from '../../look/money.ts'
import { formatDay, formatDurationMark, moneyMarks } from '../lib/format.ts'
import { formatCount, type Language, localeOf, useLanguage, useText } from '../lib/language.ts'
import { useShare } from '../lib/share.ts'
import { Chart, type ChartProps, type ChartTime } from './chart.tsx'
import {
  askedSeries,
  firstByteSeries,
  requestSeries,
  spendingSeries,
  tokenSeries,
} from './chart-data.ts'
import { Money } from './text.tsx'
import { usageText } from './usage-text.ts'

interface UsageChartsProps extends Required<Pick<ChartProps, 'to' | 'openOthers'>> {
  readonly usage: UsageChart
}

/** The fifth of the charts stands alone. */
const wide = { gridColumn: '1 / -1' }

/** The charts of what was used. */
export function UsageCharts({ usage, ...links }: UsageChartsProps) {
  const text = useText(usageText)
  const { language } = useLanguage()
  const share = useShare()
  const charts = useMemo(() => {
    const short = new Intl.NumberFormat(localeOf(language), { notation: 'compact' })
    const scale = (counts: readonly number[]) =>
      counts.map((count) => (Number.isInteger(count) ? short.format(count) : ''))
    const tokensOf = (sums: Sums) =>
      sums.input_tokens + sums.cache_read_tokens + sums.cache_write_tokens + sums.output_tokens
    const { sum } = usage
    const requests = usage.times.map((time) => formatCount(time.requests))
    const by = text.titleBy[usage.by]
    return [
      {
        ...{ title: by(text.spending), series: spendingSeries(usage, text) },
        totals: usage.times.map(({ amount }) => formatUsd(amount)),
        scale: (usd: readonly number[]) => moneyMarks(usd, short),
        sum: <Money usd={sum.amount} />,
      },
      {
        ...{ title: by(text.requests), series: askedSeries(usage, text), scale, totals: requests },
        sum: formatCount(sum.requests),
      },
      {
        ...{ title: text.tokens, series: tokenSeries(usage, text), scale },
        totals: usage.times.map((time) => formatCount(tokensOf(time))),
        sum: formatCount(tokensOf(sum)),
      },
      {
        ...{ title: text.outcomes, series: requestSeries(usage, text), scale, totals: requests },
        ...(sum.failed !== null &&
          sum.requests > 0 && {
            sum: text.failedShare(sum.failed, share(sum.failed, sum.requests)),
          }),
      },
      {
        ...{ title: by(text.firstByte), kind: 'lines' as const, note: text.firstByteNote },
        ...{ series: firstByteSeries(usage, text) },
        scale: (ms: readonly number[]) => ms.map(formatDurationMark),
      },
    ]
  }, [usage, text, language, share])
  const times = useMemo(() => timesOf(usage, language), [usage, language])
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {charts.map((chart) => (
        <Box key={chart.title} miw={0} style={'kind' in chart ? wide : undefined}>
          <Chart kind="bars" times={times} {...links} {...chart} />
        </Box>
      ))}
    </SimpleGrid>
  )
}

const lengthMs = { hour: 3_600_000, day: 86_400_000 } as const

/** Days are named by UTC, as they are counted; hours by the reader's own clock. */
function timesOf({ times, unit }: UsageChart, language: Language): readonly ChartTime[] {
  const locale = localeOf(language)
  const day = { month: 'short', day: 'numeric' } as const
  const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const short = new Intl.DateTimeFormat(
    locale,
    unit === 'hour' ? hour : { ...day, timeZone: 'UTC' },
  )
  const long = new Intl.DateTimeFormat(locale, { ...day, ...hour })
  return times.map(({ time }) => {
    const since = new Date(time)
    const until = new Date(since.getTime() + lengthMs[unit])
    return {
      label: short.format(since),
      name:
        unit === 'hour'
          ? `${long.format(since)}–${short.format(until)}`
          : formatDay(time.slice(0, 10), language),
      since: time,
      until: until.toISOString(),
    }
  })
}
