import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Channel } from '../../../admin/channels/schema.ts'
import { StateBadge, StateDetails } from '../../channels/state.tsx'
import { channelText } from '../../channels/text.ts'
import { useText } from '../../lib/language.tsx'
import { Colon } from '../../parts/colon.tsx'

/** How a channel is, and who uses it. */
export function About({ channel }: { readonly channel: Channel }) {
  const text = useText(channelText)
  const { state, recent, groups } = channel
  return (
    <Paper withBorder p="md" component="section" aria-label={text.state}>
      <Stack gap="xs">
        <Group gap="sm">
          <StateBadge state={state} recent={recent} />
          <Text size="sm" c="dimmed">
            {text.recent}
            <Colon />
            {text.recentText(recent.attempts, recent.failed)}
          </Text>
        </Group>
        <StateDetails state={state} recent={recent} />
        <Text size="sm" className="cut">
          {text.groups}
          <Colon />
          {groups.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <Anchor
                size="sm"
                underline="always"
                renderRoot={(props) => (
                  <Link to="/admin/groups/$id" params={{ id: String(id) }} {...props} />
                )}
              >
                {name}
              </Anchor>
            </span>
          ))}
          {groups.length === 0 && (
            <>
              {text.noGroups}.{' '}
              <Anchor
                size="sm"
                underline="always"
                renderRoot={(props) => (
                  <Link
                    to="/admin/groups/$id"
                    params={{ id: 'new' }}
                    search={{ channel: channel.name }}
                    {...props}
                  />
                )}
              >
                {text.makeGroup}
              </Anchor>
            </>
          )}
        </Text>
      </Stack>
    </Paper>
  )
}
