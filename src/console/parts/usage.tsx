import { SegmentedControl, SimpleGrid, Skeleton } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { UsageRange } from '../../admin/overview/schema.ts'
import { formatDurationMark, formatUsd } from '../lib/format.ts'
import { formatCount, localeOf, useLanguage, useText } from '../lib/language.ts'
import { Chart } from './chart.tsx'
import {
  firstByteSeries,
  modelLabel,
  requestSeries,
  spendingSeries,
  tokenSeries,
  usageText,
} from './chart-data.ts'
import { type Column, DataTable, figure } from './list.tsx'
import { TitledCard } from './page.tsx'
import { Figure, Hint, Money, TextLink } from './text.tsx'

function UsageCharts({ usage }: { readonly usage: UsageRange }) {
  const text = useText(usageText)
  const { language } = useLanguage()
  const charts = useMemo(() => {
    const short = new Intl.NumberFormat(localeOf(language), { notation: 'compact' })
    const exact = new Intl.NumberFormat(localeOf(language), { maximumSignificantDigits: 3 })
    const counts = (count: number) => (Number.isInteger(count) ? short.format(count) : '')
    const tokensOf = (day: UsageRange['days'][number]) =>
      day.input_tokens + day.cache_read_tokens + day.cache_write_tokens + day.output_tokens
    return [
      {
        ...{ title: text.spending, series: spendingSeries(usage, text) },
        totals: usage.days.map(({ amount }) => formatUsd(amount)),
        scale: (usd: number) => `$${usd < 10_000 ? exact.format(usd) : short.format(usd)}`,
      },
      {
        ...{ title: text.tokens, series: tokenSeries(usage, text), scale: counts },
        totals: usage.days.map((day) => formatCount(tokensOf(day))),
      },
      {
        ...{ title: text.requests, series: requestSeries(usage, text), scale: counts },
        totals: usage.days.map(({ requests }) => formatCount(requests)),
      },
      {
        ...{ title: text.firstByte, kind: 'lines' as const, note: text.firstByteNote },
        ...{ series: firstByteSeries(usage, text), scale: formatDurationMark },
      },
    ]
  }, [usage, text, language])
  const days = useMemo(() => usage.days.map(({ day }) => day), [usage])
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      {charts.map((chart) => (
        <Chart key={chart.title} kind="bars" days={days} {...chart} />
      ))}
    </SimpleGrid>
  )
}

function UsageModels({ usage }: { readonly usage: UsageRange }) {
  const text = useText(usageText)
  const count = (value: number | null) => (value === null ? '—' : formatCount(value))
  const columns: readonly Column<Row>[] = [
    { label: text.model, render: (row) => modelLabel(row, text), className: 'cut' },
    figure(text.requestCount, ({ requests }) => count(requests)),
    figure(text.failed, ({ failed }) => count(failed)),
    figure(text.input, ({ input_tokens }) => count(input_tokens)),
    figure(text.cache_read, ({ cache_read_tokens }) => count(cache_read_tokens)),
    figure(text.cache_write, ({ cache_write_tokens }) => count(cache_write_tokens)),
    figure(text.output, ({ output_tokens }) => count(output_tokens)),
    figure(text.spent, ({ amount }) => <Money usd={amount} />),
  ]
  return (
    <TitledCard title={text.byModel}>
      <DataTable
        items={usage.models}
        columns={columns}
        keyOf={({ is_other, model }) => (is_other ? '(other)' : `=${model}`)}
        caption={text.byModel}
        verticalSpacing="xs"
      />
    </TitledCard>
  )
}

type Row = UsageRange['models'][number]

const choices = [7, 30, 90] as const

/** How many days the address asks for. */
export function useDays(): number {
  const { days } = useSearch({ strict: false })
  return choices.find((choice) => choice === Number(days)) ?? 30
}

/** Chooses how many days are shown; the address keeps it. */
export function DaysChoice() {
  const text = useText(usageText)
  const navigate = useNavigate()
  return (
    <SegmentedControl
      size="xs"
      aria-label={text.range}
      value={String(useDays())}
      onChange={(days) => void navigate({ to: '.', search: { days: Number(days) } })}
      data={choices.map((days) => ({ value: String(days), label: text.days(days) }))}
    />
  )
}

/** All that was used in some days. */
export function Usage({ usage }: { readonly usage: UsageRange }) {
  const text = useText(usageText)
  return (
    <>
      <Hint>{text.notOver}</Hint>
      <UsageCharts usage={usage} />
      <UsageModels usage={usage} />
    </>
  )
}

interface RequestsFigureProps {
  readonly label: string
  readonly sum: UsageRange['sum']
  /** The list of them. */
  readonly to: '/requests' | '/admin/requests'
}

/** How many requests there were, and how many of them failed. */
export function RequestsFigure({ label, sum: { requests, failed }, to }: RequestsFigureProps) {
  const text = useText(usageText)
  const hint = failed !== null && failed > 0 && (
    <>
      {text.failedCount(failed)} ·{' '}
      <TextLink to={to} search={{ outcome: 'failed' }}>
        {text.whyFailed}
      </TextLink>
    </>
  )
  return (
    <Figure label={label} hint={hint}>
      {formatCount(requests)}
    </Figure>
  )
}

/** Stands where charts are still to come. */
export const UsageWaiting = () => (
  <SimpleGrid cols={{ base: 1, lg: 2 }} aria-busy>
    {['a', 'b', 'c', 'd'].map((name) => (
      <Skeleton key={name} height={280} />
    ))}
  </SimpleGrid>
)
