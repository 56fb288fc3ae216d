import { Alert, Anchor, Card, List, Table, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { GatewayNow } from '../../../admin/overview/schema.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Time } from '../../parts/time.tsx'
import { causeText } from '../../requests/cause-text.ts'
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
    <Card withBorder padding="md" component="section" aria-label={text.health}>
      <Title order={2} size="h5" mb="xs">
        {text.health}
      </Title>
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
      <Anchor
        size="sm"
        underline="always"
        mt="xs"
        renderRoot={(props) => <Link to="/admin/channels" {...props} />}
      >
        {text.toChannels}
      </Anchor>
    </Card>
  )
}

function Attempts({ now }: { readonly now: GatewayNow }) {
  const text = useText(texts)
  const { language } = useLanguage()
  if (now.attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text.noAttempts}
      </Text>
    )
  }
  const worstFirst = now.attempts.toSorted((a, b) => b.failed - a.failed)
  return (
    <Table className="list" mt="xs" withRowBorders={false}>
      <Table.Caption className="visually-hidden">{text.attempts}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.channelName}</Table.Th>
          <Table.Th ta="end">{text.attempts}</Table.Th>
          <Table.Th ta="end">{text.failedCount}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {worstFirst.slice(0, 20).map(({ channel, attempts, failed }) => (
          <Table.Tr key={channel}>
            <Table.Td data-label={text.channelName}>{channel}</Table.Td>
            <Table.Td data-label={text.attemptCount} ta="end">
              {formatCount(attempts, language)}
            </Table.Td>
            <Table.Td data-label={text.failedCount} ta="end">
              {formatCount(failed, language)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
