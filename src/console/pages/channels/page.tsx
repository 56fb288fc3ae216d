import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ChannelItem } from '../../../admin/channels/schema.ts'
import { StateBadge, useStateSentence } from '../../channels/state.tsx'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, List } from '../../parts/list.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { channelsText } from './text.ts'

/** All channels with how they are. */
export function Page() {
  const text = useText(channelsText)
  return (
    <PageFrame title={text.title} description={text.description} actions={<Add />}>
      <NoGroupHint />
      <List
        queryKey={['channels']}
        load={(cursor) => call(api.admin.channels.get({ query: cursor ? { cursor } : {} }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        columns={useColumns()}
        empty={<Empty title={text.emptyTitle} hint={text.emptyHint} action={<Add />} />}
      />
    </PageFrame>
  )
}

function Add() {
  const text = useText(channelsText)
  return (
    <Button
      renderRoot={(props) => <Link to="/admin/channels/$id" params={{ id: 'new' }} {...props} />}
    >
      {text.add}
    </Button>
  )
}

/** Channels alone serve nobody. */
function NoGroupHint() {
  const text = useText(channelsText)
  const query = { page_size: 1 }
  const groups = useQuery({
    queryKey: ['groups', 'any'],
    queryFn: () => call(api.admin.groups.get({ query })),
  })
  const channels = useQuery({
    queryKey: ['channels', 'any'],
    queryFn: () => call(api.admin.channels.get({ query })),
  })
  if (groups.data?.total !== 0 || !channels.data?.total) return null
  return (
    <Alert color="yellow">
      <Group justify="space-between">
        <Text size="sm">{text.noGroup}</Text>
        <Button
          size="xs"
          renderRoot={(props) => <Link to="/admin/groups/$id" params={{ id: 'new' }} {...props} />}
        >
          {text.toGroups}
        </Button>
      </Group>
    </Alert>
  )
}

const shownModels = 3

function useColumns(): readonly Column<ChannelItem>[] {
  const text = useText(channelsText)
  const sentence = useStateSentence()
  return [
    {
      label: text.name,
      render: ({ id, name }) => (
        <Anchor
          className="cut"
          renderRoot={(props) => (
            <Link to="/admin/channels/$id" params={{ id: String(id) }} {...props} />
          )}
        >
          {name}
        </Anchor>
      ),
    },
    {
      label: text.state,
      render: ({ state, recent }) => (
        <Stack gap={2} maw={300} align="flex-start">
          <StateBadge state={state} recent={recent} />
          {!['works', 'unused'].includes(state.word) && (
            <Text size="xs" c="dimmed">
              {sentence({ state, recent })}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      label: text.protocols,
      render: ({ speaks }) => (
        <Text size="sm" className="cut">
          {Object.keys(speaks).join(', ')}
        </Text>
      ),
    },
    {
      label: text.models,
      render: ({ models, model_count }) => {
        const names = models.slice(0, shownModels).map(({ id }) => id)
        const more = model_count - names.length
        return (
          <Text size="sm" className="cut" maw={260}>
            {names.join(', ')} {more > 0 && text.moreModels(more)}
          </Text>
        )
      },
    },
    {
      label: text.groups,
      render: ({ groups }) => (
        <Text size="sm" className="cut" maw={200}>
          {groups.map(({ name }) => name).join(', ') || text.none}
        </Text>
      ),
    },
    { label: text.keys, isFigure: true, render: ({ keys }) => keys.length },
    {
      label: text.order,
      isFigure: true,
      render: ({ priority, weight }) => `${priority} · ${weight}`,
    },
    {
      label: text.recent,
      isFigure: true,
      render: ({ recent }) => (
        <Text size="sm" c={recent.failed > 0 ? 'red' : undefined}>
          {text.recentText(recent.attempts, recent.failed)}
        </Text>
      ),
    },
  ]
}
