import { Anchor, Card, List, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { FirstStep, GatewayOverview } from '../../../admin/overview/schema.ts'
import { useText } from '../../lib/language.tsx'
import { texts } from './text.ts'

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
      <Text size="sm" c="dimmed" mb="xs">
        {text.nextHint}
      </Text>
      <List type="ordered" spacing={6} center={false}>
        {steps.map(({ step, is_done }) => (
          <List.Item key={step}>
            {is_done ? (
              <Text span c="dimmed">
                <s>{text[step]}</s> ✓ <span className="visually-hidden">{text.done}</span>
              </Text>
            ) : (
              <Anchor
                underline="always"
                fw={step === next ? 700 : undefined}
                renderRoot={(props) => <Link to={places[step]} {...props} />}
              >
                {text[step]}
              </Anchor>
            )}
          </List.Item>
        ))}
      </List>
    </Card>
  )
}
