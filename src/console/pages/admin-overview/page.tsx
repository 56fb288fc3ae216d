import { Alert, List, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { GatewayOverview } from '../../../admin/overview/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatBytes, formatCount, formatUptime, formatUsd } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Loaded } from '../../parts/notices.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { AnchorLink, Figure } from '../../parts/text.tsx'
import { DaysChoice, Usage, UsageWaiting, useDays } from '../../parts/usage.tsx'
import { Channels, NextSteps } from './health.tsx'
import { texts } from './text.ts'

/** The first page of an administrator: what the gateway does, and what it needs. */
export function Page() {
  const text = useText(texts)
  const days = useDays()
  const query = useQuery({
    queryKey: ['admin', 'overview', days],
    queryFn: () => call(api.admin.overview.get({ query: { days } })),
    placeholderData: (last) => last,
    refetchInterval: 15_000,
  })
  return (
    <PageFrame title={text.title} description={text.description} actions={<DaysChoice />}>
      <Loaded query={query} waiting={<UsageWaiting />}>
        {(overview) => <Content overview={overview} days={days} />}
      </Loaded>
    </PageFrame>
  )
}

function Content({
  overview,
  days,
}: {
  readonly overview: GatewayOverview
  readonly days: number
}) {
  return (
    <Stack gap="md">
      <NextSteps steps={overview.steps} />
      <Overdrawn overdrawn={overview.overdrawn} />
      <Figures overview={overview} days={days} />
      <Channels now={overview.now} />
      {overview.usage.sum.requests > 0 && <Usage usage={overview.usage} />}
    </Stack>
  )
}

interface FiguresProps {
  readonly overview: GatewayOverview
  readonly days: number
}

/** The gateway in figures. */
function Figures({ overview, days }: FiguresProps) {
  const text = useText(texts)
  const { language } = useLanguage()
  const count = (value: number) => formatCount(value, language)
  const { now, usage, accounts, tokens, counts_are_exact } = overview
  const atLeast = (value: number) =>
    counts_are_exact ? count(value) : text.moreThan(count(value - 1))
  const { requests, failed } = usage.sum
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Figure label={text.now} hint={text.streams(count(now.streams_under_way))}>
        {count(now.requests_under_way)}
      </Figure>
      <Figure label={text.today} hint={text.utc} usd={overview.spent_today} />
      <Figure label={text.month} hint={text.utc} usd={overview.spent_this_month} />
      <Figure
        label={text.requests(days)}
        hint={
          failed !== null &&
          failed > 0 && (
            <>
              {text.failed(count(failed))} ·{' '}
              <AnchorLink
                inherit
                underline="always"
                to="/admin/requests"
                search={{ outcome: 'failed' }}
              >
                {text.look}
              </AnchorLink>
            </>
          )
        }
      >
        {count(requests)}
      </Figure>
      <Figure label={text.sells} hint={text.sellsHint(count(now.channels), count(now.groups))}>
        {count(now.models)}
      </Figure>
      <Figure label={text.accounts}>{atLeast(accounts)}</Figure>
      <Figure label={text.tokens}>{atLeast(tokens)}</Figure>
      <Figure label={text.memory}>{formatBytes(now.memory_bytes)}</Figure>
      <Figure
        label={text.database}
        hint={now.database_bytes === null ? text.inMemoryHint : undefined}
      >
        {now.database_bytes === null ? text.inMemory : formatBytes(now.database_bytes)}
      </Figure>
      <Figure label={text.up} hint={text.version(now.version)}>
        <span title={now.started_at}>{formatUptime(Date.now() - Date.parse(now.started_at))}</span>
      </Figure>
    </SimpleGrid>
  )
}

/** Accounts that owe more than their credit limits allow; most gateways have none. */
function Overdrawn({ overdrawn }: Pick<GatewayOverview, 'overdrawn'>) {
  const text = useText(texts)
  const { language } = useLanguage()
  const { count, accounts } = overdrawn
  if (count === 0) return null
  return (
    <Alert color="red" title={text.overdrawn(formatCount(count, language))}>
      <List size="sm" mb="xs">
        {accounts.map(({ id, email, overdrawn: usd }) => (
          <List.Item key={id}>
            <AnchorLink inherit underline="always" to={`/admin/accounts/${id}`}>
              {email}
            </AnchorLink>
            {text.owes(formatUsd(usd))}
          </List.Item>
        ))}
      </List>
      <AnchorLink
        size="sm"
        underline="always"
        to="/admin/accounts"
        search={{ balance: 'overdrawn' }}
      >
        {text.toOverdrawn}
      </AnchorLink>
    </Alert>
  )
}
