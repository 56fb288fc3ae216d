import { Alert, Group, Stack, Text } from '@mantine/core'
import type { ChannelItem } from '../../../admin/channels/schema.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { bilingual, useText } from '../../lib/language.ts'
import { type Column, column, figure, List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { AnchorLink, ButtonLink, LongText, SmallHint } from '../../parts/text.tsx'
import { StateBadge, stateSentence } from './state.tsx'

/** All channels with how they are. */
export function Page() {
  const text = useText(channelsText)
  return (
    <PageFrame title={text.channels} description={text.description} actions={<Add />}>
      <NoGroupHint />
      <List
        queryKey={['channels']}
        load={(page) => call(api.admin.channels.get({ query: page }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        columns={useColumns()}
        empty={<Empty text={text} action={<Add />} />}
      />
    </PageFrame>
  )
}

function Add() {
  const text = useText(channelsText)
  return <ButtonLink to="/admin/channels/new">{text.add}</ButtonLink>
}

/** Channels alone serve nobody. */
function NoGroupHint() {
  const text = useText(channelsText)
  const query = { page_size: 1 }
  const groups = useCall(['groups', 'any'], () => api.admin.groups.get({ query }))
  const channels = useCall(['channels', 'any'], () => api.admin.channels.get({ query }))
  if (groups.data?.total !== 0 || !channels.data?.total) return null
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

const shownModels = 3

function useColumns(): readonly Column<ChannelItem>[] {
  const text = useText(channelsText)
  return [
    column(text.name, ({ id, name }) => (
      <AnchorLink className="cut" to={`/admin/channels/${id}`}>
        {name}
      </AnchorLink>
    )),
    column(text.state, ({ state, recent }) => (
      <Stack gap={2} maw={300} align="flex-start">
        <StateBadge state={state} recent={recent} />
        {!['works', 'unused'].includes(state.word) && (
          <SmallHint>{stateSentence({ state, recent })}</SmallHint>
        )}
      </Stack>
    )),
    column(text.protocols, ({ speaks }) => <LongText>{Object.keys(speaks).join(', ')}</LongText>),
    column(text.models, ({ models, model_count }) => {
      const names = models.slice(0, shownModels).map(({ id }) => id)
      const more = model_count - names.length
      return (
        <LongText maw={260}>
          {names.join(', ')} {more > 0 && text.moreModels(more)}
        </LongText>
      )
    }),
    column(text.groups, ({ groups }) => (
      <LongText maw={200}>{groups.map(({ name }) => name).join(', ') || text.none}</LongText>
    )),
    figure(text.keys, ({ keys }) => keys.length),
    figure(text.order, ({ priority, weight }) => `${priority} · ${weight}`),
    figure(text.recent, ({ recent }) => (
      <Text size="sm" c={recent.failed > 0 ? 'red' : undefined}>
        {text.recentText(recent.attempts, recent.failed)}
      </Text>
    )),
  ]
}

const channelsText = bilingual({
  description: ['Where requests go: address, keys, models.', '转发请求的上游：地址、密钥与模型。'],
  add: ['Add channel', '添加渠道'],
  caption: ['Channels and how they are', '渠道及其状态'],
  protocols: ['Speaks', '协议'],
  moreModels: ['+{count}', '+{count}'],
  order: ['Priority · weight', '优先级 · 权重'],
  keys: ['Keys', '密钥'],
  recentText: [
    (attempts: number, failed: number) =>
      failed === 0 ? `${attempts} attempts` : `${attempts} attempts, ${failed} failed`,
    (attempts, failed) =>
      failed === 0 ? `${attempts} 次尝试` : `${attempts} 次尝试，${failed} 次失败`,
  ],
  empty: ['No channel yet', '还没有渠道'],
  emptyHint: ['Add an upstream, then put it into a group.', '先添加上游，再用分组提供其模型。'],
  toGroups: ['Make a group from these channels', '用这些渠道创建分组'],
  noGroup: ['No group uses a channel: nobody can call it.', '还没有分组使用渠道，无人能够调用。'],
})
