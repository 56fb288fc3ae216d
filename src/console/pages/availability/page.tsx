import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { barHeights, type Level, levelOf } from '../../../look/states.ts'
import type { StatusDocument, StatusGroup } from '../../../site/status/schema.ts'
import { read, useMe } from '../../lib/api.ts'
import { formatDuration, formatRatio } from '../../lib/format.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { Empty, ErrorNotice, Loaded, PageFrame, TitledCard } from '../../parts/page.tsx'
import { useSorted } from '../../parts/sorting.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { type Column, DataTable, inCard, short, sorted } from '../../parts/table.tsx'
import { ButtonLink, Hint, SmallHint, Time } from '../../parts/text.tsx'
import { texts } from './text.ts'

/** How well each group and model answers. */
export function Page() {
  const text = useText(texts)
  const statusUrl = useMe().data?.site.status_url
  const query = useQuery({
    ...{ queryKey: ['status'], queryFn: () => readStatus(), refetchInterval: 30_000 },
  })
  const link = statusUrl && (
    <Button component="a" href={statusUrl} variant="default">
      {text.publicPage}
    </Button>
  )
  return (
    <PageFrame title={text.availability} description={text.description} actions={link}>
      <Loaded query={query} waiting={<Skeleton height={320} />}>
        {(status) => <Groups {...status} />}
      </Loaded>
    </PageFrame>
  )
}

function Groups({ groups, generated_at }: StatusDocument['data']) {
  const text = useText(texts)
  if (groups.length === 0) {
    const action = <ButtonLink to="/admin/groups">{text.toGroups}</ButtonLink>
    return <Empty text={{ empty: text.noGroups, emptyHint: text.noGroupsHint }} action={action} />
  }
  const asked = groups.filter(({ models }) => models.length > 0)
  const others = groups.filter(({ models }) => models.length === 0)
  return (
    <Stack>
      <Hint>
        {text.at} <Time at={generated_at} />
      </Hint>
      {asked.length > 0 && <BarLegend />}
      {asked.toSorted(byTrouble).map((group) => (
        <GroupCard key={group.id} group={group} />
      ))}
      {others.length > 0 && (
        <TitledCard title={text.others}>
          <Text className="cut">{others.map(({ name }) => name).join(text.comma)}</Text>
        </TitledCard>
      )}
    </Stack>
  )
}

const colours = { operational: 'ok', degraded: 'mid', down: 'bad', no_data: 'soft' } as const

const urgency = ['down', 'degraded', 'operational', 'no_data']

/** Those that need somebody come first, those that nobody asks at present last. */
const byTrouble = (a: StatusGroup, b: StatusGroup) =>
  urgency.indexOf(a.state) - urgency.indexOf(b.state)

/** A group: how it is now, how it was, and its models. */
function GroupCard({ group }: { readonly group: StatusGroup }) {
  const text = useText(texts)
  const { availability, first_byte_ms: first, tokens_per_second: speed } = group
  const spans = [
    [text.hour, availability['1h']],
    [text.day, availability['24h']],
    [text.week, availability['7d']],
    [text.quarter, availability['90d']],
  ] as const
  const orNone = (value: number | null, show: (value: number) => string) =>
    value === null ? text.no_data : show(value)
  const facts: MeasuredProps['facts'] = [
    ...spans.map(
      ([label, { requests, ratio }]) =>
        [label, formatRatio(ratio, text.no_data), text.requests(requests)] as const,
    ),
    [
      ...([text.firstByte, orNone(first.p50, formatDuration)] as const),
      first.p95 === null ? null : text.most(formatDuration(first.p95)),
    ],
    [text.speed, orNone(speed, (value) => text.perSecond(formatCount(Math.round(value))))],
  ]
  return (
    <Card withBorder padding="md" component="section" aria-label={group.name}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" className="cut">
          {group.name}
        </Title>
        <StatusBadge color={colours[group.state]}>{text[group.state]}</StatusBadge>
      </Group>
      <Measured group={group} facts={facts} />
    </Card>
  )
}

interface MeasuredProps {
  readonly group: StatusGroup
  readonly facts: readonly (readonly [label: string, value: string, hint?: string | null])[]
}

function Measured({ group, facts }: MeasuredProps) {
  const text = useText(texts)
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" mb="sm">
        {facts.map(([label, value, hint]) => (
          <div key={label}>
            <SmallHint>{label}</SmallHint>
            <Text fw={600}>{value}</Text>
            {hint && <SmallHint>{hint}</SmallHint>}
          </div>
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} mb="sm">
        <Bars label={text.hours} bars={group.hours} />
        <Bars label={text.days} bars={group.days} />
      </SimpleGrid>
      <Models group={group} />
    </>
  )
}

type Model = StatusGroup['models'][number]

/** The models of a group; where there are very many, those asked for most until one wants all. */
function Models({ group }: { readonly group: StatusGroup }) {
  const text = useText(texts)
  const [isWhole, setIsWhole] = useState(false)
  const whole = useQuery({
    queryKey: ['status', group.name],
    queryFn: () => readStatus(group.name),
    enabled: isWhole,
  })
  const models = whole.data?.groups[0]?.models ?? group.models
  const left = group.models_total - models.length
  return (
    <>
      {whole.error && <ErrorNotice error={whole.error} />}
      <ModelTable
        models={models}
        caption={`${group.name}: ${text.models(String(models.length))}`}
      />
      {left > 0 && (
        <Button
          variant="default"
          size="xs"
          loading={isWhole && whole.isPending}
          onClick={() => setIsWhole(true)}
        >
          {text.allModels(group.models_total)}
        </Button>
      )}
    </>
  )
}

const spans = [
  ['1h', 'hour'],
  ['24h', 'day'],
  ['7d', 'week'],
  ['90d', 'quarter'],
] as const

function ModelTable({ models, caption }: { models: readonly Model[]; caption: string }) {
  const text = useText(texts)
  const ratio = ({ requests, ratio }: Model['availability']['1h']) => (
    <span title={text.requests(String(requests))}>{formatRatio(ratio, '—')}</span>
  )
  const time = (ms: number | null) => (ms === null ? '—' : formatDuration(ms))
  const figure = (label: string, render: Column<Model>['render']) => ({
    ...{ label, render, isFigure: true, className: 'figure' },
  })
  const columns: readonly Column<Model>[] = [
    sorted(
      'model',
      inCard('name', { label: text.model, render: ({ name }) => name, className: 'cut' }),
      ({ name }) => name,
    ),
    short(text.state, ({ state }) => (
      <StatusBadge color={colours[state]}>{text[state]}</StatusBadge>
    )),
    ...spans.map(([span, word]) =>
      sorted(
        span,
        figure(text[word], ({ availability }) => ratio(availability[span])),
        ({ availability }: Model) => availability[span].ratio,
      ),
    ),
    ...(['p50', 'p95'] as const).map((part) =>
      sorted(
        part,
        figure(text[part], ({ first_byte_ms }) => time(first_byte_ms[part])),
        ({ first_byte_ms }: Model) => first_byte_ms[part],
      ),
    ),
    figure(text.tokensPerSecond, ({ tokens_per_second: speed }) =>
      speed === null ? '—' : formatCount(Math.round(speed)),
    ),
  ]
  return (
    <DataTable
      {...useSorted(models, columns)}
      {...{ columns, caption }}
      keyOf={({ name }) => name}
      fz="sm"
    />
  )
}

/** The status, public and own: of all groups, or of one with all its models. */
async function readStatus(group?: string): Promise<StatusDocument['data']> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const at = async (path: string) => ((await read(path + query)) as StatusDocument).data
  const own = await at('/api/v1/groups/status')
  if (group !== undefined && own.groups.length > 0) return own
  const shown = await at('/api/v1/status')
  return { ...shown, groups: [...shown.groups, ...own.groups] }
}

type Bar = StatusGroup['hours'][number]
const heights: Readonly<Record<Level, number>> = { ...barHeights, empty: 2 }

const fills: Readonly<Record<Level, string>> = {
  good: 'var(--ok)',
  some: 'color-mix(in srgb, var(--ok) 60%, var(--bg))',
  degraded: 'var(--mid)',
  down: 'var(--bad)',
  empty: 'color-mix(in srgb, var(--soft) 50%, var(--bg))',
}

/** What was measured, oldest first. Where there was nothing there is a thin line. */
function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
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
          const level = levelOf(bar)
          const height = heights[level]
          return (
            <rect
              key={place}
              {...{ x: place * 4, y: 24 - height, width: 3, height, fill: fills[level] }}
            >
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
function BarLegend() {
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
            <rect y={24 - heights[level]} width="6" height={heights[level]} fill={fills[level]} />
          </svg>
          <Text size="xs">{word}</Text>
        </Group>
      ))}
    </Group>
  )
}
