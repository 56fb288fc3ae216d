import { Alert, Anchor, Card, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { FirstStep, GatewayNow, GatewayOverview } from '../../../admin/overview/schema.ts'
import { api, useCall } from '../../lib/api.ts'
import { formatBytes, formatUptime } from '../../lib/format.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { Loaded, PageFrame, TitledCard } from '../../parts/page.tsx'
import { column, DataTable, figure } from '../../parts/table.tsx'
import { AnchorLink, ButtonLink, Figure, Hint, Sums, TextLink, Time } from '../../parts/text.tsx'
import { RequestsFigure, Usage, UsageWaiting, useDays } from '../../parts/usage.tsx'
import { causeText } from '../requests/causes.ts'
import { texts } from './text.ts'

/** The first page of an administrator: what the gateway does, and what it needs. */
export function Page() {
  const text = useText(texts)
  const days = useDays()
  const query = useCall(
    ['admin', 'overview', days],
    () => api.admin.overview.get({ query: { days } }),
    { placeholderData: (last) => last, refetchInterval: 15_000 },
  )
  return (
    <PageFrame title={text.adminOverview} description={text.description}>
      <Loaded query={query} waiting={<UsageWaiting />}>
        {(overview) => <Content overview={overview} days={days} />}
      </Loaded>
    </PageFrame>
  )
}

function Content({ overview, days }: { overview: GatewayOverview; days: number }) {
  return (
    <Stack gap="md">
      <NewerRelease release={overview.now.newer_release} />
      <NextSteps steps={overview.steps} />
      <Overdrawn overdrawn={overview.overdrawn} />
      <Figures overview={overview} days={days} />
      {overview.now.channels > 0 && <Channels now={overview.now} />}
      {overview.usage.sum.requests > 0 && <Usage isAll />}
    </Stack>
  )
}

/** Only where the operator lets the gateway look for releases. */
function NewerRelease({ release }: { release: GatewayNow['newer_release'] }) {
  const text = useText(texts)
  if (release === null) return null
  return (
    <Alert color="blue" title={text.newerRelease(release.version)}>
      <Group gap="md">
        {release.notes_url !== null && (
          <Anchor size="sm" href={release.notes_url} target="_blank" rel="noreferrer">
            {text.releaseNotes}
          </Anchor>
        )}
        <Anchor size="sm" href="/docs/upgrade">
          {text.howToUpgrade}
        </Anchor>
      </Group>
    </Alert>
  )
}

function Figures({ overview, days }: { overview: GatewayOverview; days: number }) {
  const text = useText(texts)
  const { now, usage, accounts, tokens, counts_are_exact } = overview
  const atLeast = (value: number) =>
    counts_are_exact ? formatCount(value) : text.moreThan(value - 1)
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Figure
        label={text.now}
        hint={now.streams_under_way > 0 && text.streams(now.streams_under_way)}
      >
        {formatCount(now.requests_under_way)}
      </Figure>
      <Figure label={text.today} hint={text.utc} usd={overview.spent_today} />
      <Figure label={text.month} hint={text.utc} usd={overview.spent_this_month} />
      <RequestsFigure label={text.requests(days)} usage={usage} to="/admin/requests" />
      <Figure label={text.sells} hint={text.sellsHint(now.channels, now.groups)}>
        <AnchorLink inherit c="inherit" to="/admin/prices">
          {formatCount(now.models)}
        </AnchorLink>
      </Figure>
      <Figure label={text.accounts}>
        <AnchorLink inherit c="inherit" to="/admin/accounts">
          {atLeast(accounts)}
        </AnchorLink>
      </Figure>
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
  const { count, accounts } = overdrawn
  if (count === 0) return null
  return (
    <Alert color="red" title={text.overdrawn(count)}>
      <List size="sm" mb="xs">
        {accounts.map(({ id, email, overdrawn: usd }) => (
          <List.Item key={id}>
            <TextLink to={`/admin/accounts/${id}`}>{email}</TextLink>
            <Sums in={text.owes} usd={[usd]} />
          </List.Item>
        ))}
      </List>
      <TextLink to="/admin/accounts" search={{ balance: 'overdrawn' }}>
        {text.toOverdrawn}
      </TextLink>
    </Alert>
  )
}

/** Channels in cooldown, and how often each has failed. */
function Channels({ now }: { readonly now: GatewayNow }) {
  const text = useText(texts)
  // One that is over waits for its next request: there is nothing to be done about it.
  const cooling = now.cooling.filter(({ until }) => Date.parse(until) > Date.now())
  // Of several keys each cools by itself: what reads the same is said once.
  const keyOf = ({ channel, model, cause, until }: (typeof cooling)[number]) =>
    [channel, model, cause, until.slice(0, 19)].join(' ')
  const told = new Map(cooling.map((one) => [keyOf(one), one]))
  return (
    <TitledCard title={text.health}>
      {cooling.length === 0 ? (
        <Text size="sm">{text.healthGood}</Text>
      ) : (
        <Alert color="yellow">
          <List size="sm">
            {[...told].map(([key, { channel, model, cause, until }]) => (
              <List.Item key={key}>
                {model === null ? text.cooling(channel) : text.coolingModel(channel, model)}{' '}
                <Time at={until} />
                {text.stop}
                {causeText(cause, 'attempt') ?? cause}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Attempts now={now} />
      <TextLink fz="sm" mt="xs" to="/admin/channels">
        {text.toChannels}
      </TextLink>
    </TitledCard>
  )
}

function Attempts({ now }: { readonly now: GatewayNow }) {
  const text = useText(texts)
  if (now.attempts.length === 0) {
    return <Hint>{text.noAttempts}</Hint>
  }
  const worstFirst = now.attempts.toSorted((a, b) => b.failed - a.failed)
  return (
    <DataTable<GatewayNow['attempts'][number]>
      items={worstFirst.slice(0, 20)}
      columns={[
        column(text.channelName, ({ channel }) => (
          <AnchorLink to="/admin/channels" search={{ search: channel }} className="cut">
            {channel}
          </AnchorLink>
        )),
        {
          ...{ label: text.attempts, cardLabel: text.attemptCount, isFigure: true },
          render: ({ attempts }) => formatCount(attempts),
        },
        figure(text.failedCount, ({ channel, failed }) =>
          failed === 0 ? (
            '0'
          ) : (
            <AnchorLink to="/admin/attempts" search={{ channel, outcome: 'failed' }}>
              {formatCount(failed)}
            </AnchorLink>
          ),
        ),
      ]}
      keyOf={({ channel }) => channel}
      caption={text.attempts}
      mt="xs"
      withRowBorders={false}
    />
  )
}

const places = {
  channel: '/admin/channels',
  group: '/admin/groups',
  price: '/admin/prices',
  account: '/admin/accounts',
  token: '/tokens',
  request: '/playground',
} as const satisfies Record<FirstStep, string>

const essential = ['channel', 'group', 'price', 'token'] as const

/** The way from nothing to the first answer; gone when it was walked. */
function NextSteps({ steps }: Pick<GatewayOverview, 'steps'>) {
  const text = useText(texts)
  const left = new Set(steps.filter(({ is_done }) => !is_done).map(({ step }) => step))
  const isServing = essential.every((step) => !left.has(step))
  // Who serves alone needs no other account; who asks nothing for a month needs no help with it.
  if (isServing && (!left.has('account') || !left.has('request'))) return null
  const next = steps.find(({ is_done }) => !is_done)?.step
  return (
    <Card withBorder padding="md" component="section" aria-label={text.next}>
      <Title order={2} size="h5">
        {text.next}
      </Title>
      {isServing ? (
        <Hint mb="xs">{text.nextHint}</Hint>
      ) : (
        <>
          <ButtonLink to="/admin/start" my="xs" w="fit-content">
            {text.toFirstSteps}
          </ButtonLink>
          <Hint mb="xs">{text.byParts}</Hint>
        </>
      )}
      <List type="ordered" spacing={6} center={false}>
        {steps.map(({ step, is_done }) => (
          <List.Item key={step}>
            {is_done ? (
              <Text span c="dimmed">
                <s>{text[step]}</s> ✓ <span className="visually-hidden">{text.done}</span>
              </Text>
            ) : (
              <AnchorLink underline="always" fw={step === next ? 700 : undefined} to={places[step]}>
                {text[step]}
              </AnchorLink>
            )}
          </List.Item>
        ))}
      </List>
    </Card>
  )
}
