import { SimpleGrid } from '@mantine/core'
import { useMemo } from 'react'
import type { UsageRange } from '../../admin/overview/schema.ts'
import { formatCount, formatDurationMark, formatUsd, localeOf } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { Chart } from './chart.tsx'
import { firstByteSeries, requestSeries, spendingSeries, tokenSeries } from './usage-series.ts'
import { usageText } from './usage-text.ts'

/** What was used, by day. */
export function UsageCharts({ usage }: { readonly usage: UsageRange }) {
  const text = useText(usageText)
  const { language } = useLanguage()
  const charts = useMemo(() => {
    const days = usage.days.map(({ day }) => day)
    const short = new Intl.NumberFormat(localeOf(language), { notation: 'compact' })
    const exact = new Intl.NumberFormat(localeOf(language), { maximumSignificantDigits: 3 })
    const tokensOf = (day: UsageRange['days'][number]) =>
      day.input_tokens + day.cache_read_tokens + day.cache_write_tokens + day.output_tokens
    return {
      days,
      scaleOfMoney: (usd: number) => `$${usd < 10_000 ? exact.format(usd) : short.format(usd)}`,
      scaleOfCounts: (count: number) => (Number.isInteger(count) ? short.format(count) : ''),
      spending: spendingSeries(usage, text),
      spent: usage.days.map(({ amount }) => formatUsd(amount)),
      tokens: tokenSeries(usage, text, language),
      tokenTotals: usage.days.map((day) => formatCount(tokensOf(day), language)),
      requests: requestSeries(usage, text, language),
      requestTotals: usage.days.map(({ requests }) => formatCount(requests, language)),
      firstByte: firstByteSeries(usage, text),
    }
  }, [usage, text, language])
  const { days, scaleOfCounts } = charts
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Chart
        title={text.spending}
        kind="bars"
        {...{ days, series: charts.spending, totals: charts.spent, scale: charts.scaleOfMoney }}
      />
      <Chart
        title={text.tokens}
        kind="bars"
        {...{ days, series: charts.tokens, totals: charts.tokenTotals, scale: scaleOfCounts }}
      />
      <Chart
        title={text.requests}
        kind="bars"
        {...{ days, series: charts.requests, totals: charts.requestTotals, scale: scaleOfCounts }}
      />
      <Chart
        title={text.firstByte}
        kind="lines"
        note={text.firstByteNote}
        {...{ days, series: charts.firstByte, scale: formatDurationMark }}
      />
    </SimpleGrid>
  )
}
