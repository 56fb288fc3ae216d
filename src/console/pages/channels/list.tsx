import { Alert, Box, Group, Text } from '@mantine/core'
import type { ChannelItem } from '../../../admin/channels/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useChannelsInAll, useGroupNames } from '../../lib/names.ts'
import { FewNames } from '../../parts/few-names.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { type Column, column, figure, inCard, short, sorted } from '../../parts/table.tsx'
import { AnchorLink, ButtonLink, SmallHint } from '../../parts/text.tsx'
import { useChannelBulk } from './bulk.ts'
import { ChannelFilters, useChannelFilter } from './filters.tsx'
import { channelsText } from './list-text.ts'
import { OnOff, TestInRow } from './row.tsx'
import { StateBadge, stateSentence } from './state.tsx'

/** All channels with how they are. */
export function Page() {
  const text = useText(channelsText)
  const { filter, key, showAll } = useChannelFilter()
  return (
    <PageFrame title={text.channels} description={text.description} actions={<Add />}>
      <NoGroupHint />
      <ChannelFilters key={key} />
      <List
        queryKey={['channels', filter]}
        load={(page) => call(api.admin.channels.get({ query: { ...filter, ...page } }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        columns={useColumns()}
        bulk={useChannelBulk()}
        empty={<Empty text={text} showAll={showAll} action={<First />} />}
      />
    </PageFrame>
  )
}

function Add() {
  const text = useText(channelsText)
  return <ButtonLink to="/admin/channels/new">{text.add}</ButtonLink>
}

/** What a gateway without channels begins with. */
function First() {
  const text = useText(channelsText)
  return (
    <Group gap="xs" justify="center">
      <ButtonLink to="/admin/start">{text.bySteps}</ButtonLink>
      <ButtonLink to="/admin/channels/new" variant="default">
        {text.add}
      </ButtonLink>
    </Group>
  )
}

/** Channels alone serve nobody. */
function NoGroupHint() {
  const text = useText(channelsText)
  const groups = useGroupNames()
  const channels = useChannelsInAll()
  if (groups?.length !== 0 || !channels?.total) return null
  return (
    <Alert color="yellow">
      <Group justify="space-between">
        <Text size="sm">{text.noGroup}</Text>
        <ButtonLink size="xs" to="/admin/groups/new">
          {text.toGroups}
        </ButtonLink>
      </Group>
    </Alert>
  )
}

type Sort = 'name' | 'status' | 'models' | 'priority' | 'failed'

function useColumns(): readonly Column<ChannelItem, Sort>[] {
  const text = useText(channelsText)
  return [
    sorted(
      'name',
      column(text.name, ({ id, name, speaks }) => (
        <Box miw={120}>
          <AnchorLink className="cut" to={`/admin/channels/${id}`}>
            {name}
          </AnchorLink>
          <SmallHint>{Object.keys(speaks).join(', ')}</SmallHint>
        </Box>
      )),
    ),
    sorted(
      'status',
      inCard(
        'beside',
        column(text.enabled, (channel) => <OnOff channel={channel} />),
      ),
    ),
    short(text.state, ({ state, recent }) => (
      <Box maw={300}>
        <StateBadge state={state} recent={recent} />
        {state.word !== 'works' && <SmallHint>{stateSentence({ state, recent })}</SmallHint>}
      </Box>
    )),
    // In a card the button says what it is.
    { ...short(text.test, (channel) => <TestInRow channel={channel} />), cardLabel: '' },
    sorted(
      'models',
      column(text.models, ({ models, model_count }) => (
        <FewNames names={models.map(({ id }) => id)} total={model_count} none={text.none} />
      )),
    ),
    column(text.groups, ({ groups }) => (
      <FewNames names={groups.map(({ name }) => name)} none={text.none} />
    )),
    figure(text.keys, ({ keys }) => keys.length),
    sorted(
      'priority',
      figure(text.order, ({ priority, weight }) => (
        <span className="line">{`${priority} · ${weight}`}</span>
      )),
    ),
    sorted(
      'failed',
      figure(text.recentAttempts, ({ recent }) => (
        <Text size="sm" className="line" c={recent.failed > 0 ? 'red' : undefined}>
          {text.recentText(recent.attempts, recent.failed)}
        </Text>
      )),
    ),
  ]
}
