import { Text } from '@mantine/core'
import type { GroupItem } from '../../../admin/groups/schema.ts'
import { api, call, useCall } from '../../lib/api.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { FewNames } from '../../parts/few-names.tsx'
import { column, figure, List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { ActiveBadge } from '../../parts/status-badge.tsx'
import { AnchorLink, ButtonLink } from '../../parts/text.tsx'
import { tokenCount } from './actions.tsx'
import { groupText } from './text.ts'

/** All groups with what they offer. */
export function Page() {
  const text = useText(groupText)
  return (
    <PageFrame title={text.groups} description={text.about} actions={<Add />}>
      <List<GroupItem>
        queryKey={['groups']}
        load={(page) => call(api.admin.groups.get({ query: page }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        columns={[
          column(text.name, ({ id, name }) => (
            <AnchorLink className="cut" to={`/admin/groups/${id}`}>
              {name}
            </AnchorLink>
          )),
          column(text.status, ({ status }) => <ActiveBadge {...{ status, text }} />),
          figure(text.rate_multiplier, ({ rate_multiplier }) => `× ${rate_multiplier}`),
          column(text.channels, ({ channels }) => (
            <FewNames names={channels.map(({ name }) => name)} none={text.none} />
          )),
          figure(text.offers, ({ offers, without_price }) => (
            <Text size="sm" c={offers === 0 ? 'red' : undefined}>
              {text.offersText(formatCount(offers), without_price)}
            </Text>
          )),
          figure(text.tokens, tokenCount),
        ]}
        empty={<Nothing />}
      />
    </PageFrame>
  )
}

function Add() {
  const text = useText(groupText)
  return <ButtonLink to="/admin/groups/new">{text.add}</ButtonLink>
}

/** No group: the next step is one, or the channel that it needs. */
function Nothing() {
  const text = useText(groupText)
  const channels = useCall(['channels', 'any'], () =>
    api.admin.channels.get({ query: { page_size: 1 } }),
  )
  if (channels.data?.total !== 0) return <Empty text={text} action={<Add />} />
  return (
    <Empty
      text={{ ...text, emptyHint: text.noChannels }}
      action={<ButtonLink to="/admin/channels/new">{text.addChannel}</ButtonLink>}
    />
  )
}
