import { Alert, Card, List, Text, Title } from '@mantine/core'
import type { FirstStep, GatewayNow, GatewayOverview } from '../../../admin/overview/schema.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { TitledCard } from '../../parts/page.tsx'
import { column, DataTable, figure } from '../../parts/table.tsx'
import { AnchorLink, Hint, Time } from '../../parts/text.tsx'
import { causeText } from '../../requests/causes.ts'
import { texts } from './text.ts'

/** Which channels are left alone, and how often each has failed. */
export function Channels({ now }: { readonly now: GatewayNow }) {
  const text = useText(texts)
  const { language } = useLanguage()
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
                {causeText(cause, language, 'attempt') ?? cause}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Attempts now={now} />
      <AnchorLink size="sm" underline="always" mt="xs" to="/admin/channels">
        {text.toChannels}
      </AnchorLink>
    </TitledCard>
  )
}

function Attempts({ now }: { readonly now: GatewayNow }) {
  const text = useText(texts)
  const { language } = useLanguage()
  if (now.attempts.length === 0) {
    return <Hint>{text.noAttempts}</Hint>
  }
  const worstFirst = now.attempts.toSorted((a, b) => b.failed - a.failed)
  return (
    <DataTable<GatewayNow['attempts'][number]>
      items={worstFirst.slice(0, 20)}
      columns={[
        column(text.channelName, ({ channel }) => channel),
        {
          ...{ label: text.attempts, cardLabel: text.attemptCount, isFigure: true },
          render: ({ attempts }) => formatCount(attempts, language),
        },
        figure(text.failedCount, ({ failed }) => formatCount(failed, language)),
      ]}
      keyOf={({ channel }) => channel}
      caption={text.attempts}
      mt="xs"
      withRowBorders={false}
    />
  )
}

/** Where each step is done. */
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
export function NextSteps({ steps }: Pick<GatewayOverview, 'steps'>) {
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
      <Hint mb="xs">{text.nextHint}</Hint>
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
