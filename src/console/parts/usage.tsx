import {
  Alert,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Text,
} from '@mantine/core'
import { useRef } from 'react'
import type { UsageChart, UsageRange } from '../../admin/overview/schema.ts'
import { api, useCall } from '../lib/api.ts'
import { useFilters } from '../lib/filters.ts'
import { choicesOf, formatCount, useText } from '../lib/language.ts'
import { useShare } from '../lib/share.ts'
import { partLabel, searchOf } from './chart-data.ts'
import { Loaded, TitledCard } from './page.tsx'
import { useSorted } from './sorting.tsx'
import { type Column, DataTable, figure, inCard, sorted } from './table.tsx'
import { AnchorLink, Figure, Hint, Money, TextLink, Time } from './text.tsx'
import { UsageCharts } from './usage-charts.tsx'
import { usageText } from './usage-text.ts'

const spans = [1, 7, 30, 90] as const
/** So many parts are listed, those that cost most; what is left is one row. */
const mostListed = 500
const tokenKinds = ['input', 'cache_read', 'cache_write', 'output'] as const
const splits = {
  own: ['model', 'token', 'group'],
  all: ['model', 'account', 'channel', 'group'],
} as const

/** What of the usage is shown, as the address has it; days are absent where nothing was chosen. */
function useShown(isAll: boolean) {
  const [filters, set] = useFilters()
  const by = splits[isAll ? 'all' : 'own'].find((one) => one === filters.by) ?? 'model'
  const days = spans.find((one) => one === Number(filters.days))
  return { by, days, isListed: filters.list !== undefined, set }
}

/** How many days the figures above the charts are of. */
export function useDays(): number {
  const [{ days }] = useFilters()
  return [7, 90].find((one) => one === Number(days)) ?? 30
}

interface UsageProps {
  /** Of all accounts, for administrators. */
  readonly isAll: boolean
}

/** What was used, by hour or day, told apart by what one chooses. */
export function Usage({ isAll }: UsageProps) {
  const { by, days, isListed } = useShown(isAll)
  const query = { by, ...(days && { days }), ...(isListed && { list: mostListed }) }
  const usage = useCall<UsageChart>(
    ['usage', isAll, query],
    () =>
      isAll
        ? api.admin.overview.usage.get({ query })
        : api.overview.usage.get({ query: { ...query, by: by as 'model' } }),
    { placeholderData: (last) => last, refetchInterval: 60_000 },
  )
  return (
    <Loaded query={usage} waiting={<UsageWaiting />}>
      {(shown) => (
        <>
          <Choices isAll={isAll} usage={shown} />
          {shown.sum.requests === 0 ? <Nothing /> : <Shown isAll={isAll} usage={shown} />}
        </>
      )}
    </Loaded>
  )
}

function Nothing() {
  const text = useText(usageText)
  return (
    <Text c="dimmed" py="xl" ta="center">
      {text.nothing}
    </Text>
  )
}

interface ShownProps extends UsageProps {
  readonly usage: UsageChart
}

function Choices({ isAll, usage }: ShownProps) {
  const text = useText(usageText)
  const { by, days, set } = useShown(isAll)
  const now = days ?? (usage.unit === 'hour' ? 1 : 30)
  return (
    <Group justify="space-between" align="flex-end">
      <SegmentedControl
        size="xs"
        aria-label={text.range}
        value={String(now)}
        onChange={(chosen) => set({ days: chosen })}
        data={spans.map((count) => ({
          value: String(count),
          label: count === 1 ? text.hours : text.days(count),
        }))}
      />
      <NativeSelect
        {...{ size: 'xs', label: text.splitBy, w: 160, value: by }}
        data={choicesOf(splits[isAll ? 'all' : 'own'], text)}
        onChange={({ currentTarget: { value } }) =>
          set({ by: value === 'model' ? null : value, list: null })
        }
      />
    </Group>
  )
}

function Shown({ isAll, usage }: ShownProps) {
  const text = useText(usageText)
  const { isListed, set } = useShown(isAll)
  const table = useRef<HTMLDivElement>(null)
  const list = (wanted: boolean) => {
    set({ list: wanted ? 1 : null })
    table.current?.scrollIntoView({ block: 'start' })
  }
  const to = isAll ? '/admin/requests' : '/requests'
  return (
    <>
      <Hint>{usage.unit === 'hour' ? text.hoursNote : text.daysNote}</Hint>
      {usage.complete_since !== null && (
        <Alert color="yellow">
          {text.cutShort} <Time at={usage.complete_since} />
        </Alert>
      )}
      <UsageCharts usage={usage} to={to} openOthers={() => list(true)} />
      <div ref={table} className="turn">
        <UsageParts {...{ usage, to, isListed, list }} />
      </div>
    </>
  )
}

type Part = UsageChart['list'][number]

interface UsagePartsProps {
  readonly usage: UsageChart
  readonly to: '/requests' | '/admin/requests'
  /** Whether all have rows of their own, not only those that are drawn. */
  readonly isListed: boolean
  readonly list: (wanted: boolean) => void
}

/** What a table is sorted by; those without a row of their own come last in each order. */
const figureOf =
  (name: 'requests' | 'failed' | 'amount' | `${(typeof tokenKinds)[number]}_tokens`) =>
  ({ is_other, [name]: value }: Part) =>
    is_other || value === null ? null : Number(value)

function UsageParts({ usage, to, isListed, list }: UsagePartsProps) {
  const text = useText(usageText)
  const share = useShare()
  const since = usage.times[0]?.time
  const shown = usage.list.length > 0 ? { ...usage, parts: usage.list } : usage
  const others = othersOf(usage, shown.parts)
  const count = (value: number | null) => (value === null ? '—' : formatCount(value))
  const columns: readonly Column<Part>[] = [
    {
      ...{ label: text[usage.by], className: 'cut' },
      render: (part) => {
        const label = partLabel(part, { ...usage, others }, text)
        const search = searchOf(part, usage.by)
        if (search === null) return label
        return (
          <AnchorLink to={to} search={{ ...search, since }}>
            {label}
          </AnchorLink>
        )
      },
    },
    sorted(
      'requests',
      figure(text.requestCount, ({ requests }) => count(requests)),
      figureOf('requests'),
    ),
    sorted(
      'failed',
      figure(text.failed, ({ failed }) => count(failed)),
      figureOf('failed'),
    ),
    ...tokenKinds.map((kind) =>
      sorted(
        kind,
        inCard(
          'none',
          figure(text[kind], (part: Part) => count(part[`${kind}_tokens`])),
        ),
        figureOf(`${kind}_tokens`),
      ),
    ),
    sorted(
      'amount',
      figure(text.spent, ({ amount }) => <Money usd={amount} />),
      figureOf('amount'),
    ),
    figure(text.share, ({ amount }) => share(amount, usage.sum.amount)),
  ]
  const { items, sorting } = useSorted(shown.parts, columns)
  const title = text.titleBy[usage.by](text.inAll)
  return (
    <TitledCard title={title}>
      <DataTable
        {...{ items, sorting }}
        columns={columns}
        keyOf={({ is_other, id }) => (is_other ? '(other)' : `=${id}`)}
        caption={title}
        verticalSpacing="xs"
      />
      {usage.others > 0 && (
        <Button variant="default" size="xs" mt="sm" w="fit-content" onClick={() => list(!isListed)}>
          {isListed ? text.fewer : text.openOthers(text.others[usage.by](usage.others))}
        </Button>
      )}
    </TitledCard>
  )
}

/** How many parts have no row in a list. */
function othersOf({ parts, others }: UsageChart, listed: readonly Part[]): number {
  const named = (all: readonly Part[]) => all.filter(({ is_other }) => !is_other).length
  return named(parts) + others - named(listed)
}

interface RequestsFigureProps {
  readonly label: string
  readonly usage: UsageRange
  /** The list of them. */
  readonly to: '/requests' | '/admin/requests'
}

/** How many requests there were, and how many of them failed. */
export function RequestsFigure({ label, usage, to }: RequestsFigureProps) {
  const text = useText(usageText)
  const { requests, failed } = usage.sum
  const since = usage.days[0] && `${usage.days[0].day}T00:00:00.000Z`
  const hint = failed !== null && failed > 0 && (
    <>
      {text.failedCount(failed)} ·{' '}
      <TextLink className="whole" to={to} search={{ outcome: 'failed', since }}>
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
