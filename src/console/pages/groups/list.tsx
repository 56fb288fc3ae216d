import { Text } from '@mantine/core'
import type { GroupItem } from '../../../admin/groups/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatCount, useText } from '../../lib/language.ts'
import { useChannelsInAll } from '../../lib/names.ts'
import { FewNames } from '../../parts/few-names.tsx'
import { List } from '../../parts/list.tsx'
import { Empty, PageFrame } from '../../parts/page.tsx'
import { ActiveBadge } from '../../parts/status-badge.tsx'
import { type Column, column, figure, short, sorted } from '../../parts/table.tsx'
import { AnchorLink, ButtonLink } from '../../parts/text.tsx'
import { tokenCount } from './actions.tsx'
import { groupText } from './text.ts'

/** All groups with what they offer. */
export function Page() {
  const text = useText(groupText)
  return (
    <PageFrame title={text.groups} description={text.about} actions={<Add />}>
      <List<GroupItem, Sort>
        queryKey={['groups']}
        load={(page) => call(api.admin.groups.get({ query: page }))}
        keyOf={({ id }) => id}
        caption={text.caption}
        columns={useColumns()}
        empty={<Nothing />}
      />
    </PageFrame>
  )
}

type Sort = 'name' | 'status' | 'rate_multiplier' | 'offers' | 'tokens'

function useColumns(): readonly Column<GroupItem, Sort>[] {
  const text = useText(groupText)
  return [
    sorted(
      'name',
      column(text.name, ({ id, name }) => (
        <AnchorLink className="cut" to={`/admin/groups/${id}`}>
          {name}
        </AnchorLink>
      )),
    ),
    sorted(
      'status',
      short(text.status, ({ status }) => <ActiveBadge {...{ status, text }} />),
    ),
    sorted(
      'rate_multiplier',
      figure(text.rate_multiplier, ({ rate_multiplier }) => <Factor of={rate_multiplier} />),
    ),
    column(text.channels, ({ channels }) => (
      <FewNames names={channels.map(({ name }) => name)} none={text.none} />
    )),
    sorted(
      'offers',
      figure(text.offers, ({ offers, without_price }) => (
        <Text size="sm" c={offers === 0 ? 'red' : undefined}>
          {text.offersText(formatCount(offers), without_price)}
        </Text>
      )),
    ),
    sorted('tokens', figure(text.tokens, tokenCount)),
  ]
}

/** Points of multipliers stand below each other, as those of money. */
function Factor({ of }: { readonly of: string }) {
  const [whole, decimals] = of.split('.')
  return (
    <span className="money">
      × {whole}
      <span>{decimals && `.${decimals}`}</span>
    </span>
  )
}

function Add() {
  const text = useText(groupText)
  return <ButtonLink to="/admin/groups/new">{text.add}</ButtonLink>
}

/** No group: the next step is one, or the channel that it needs. */
function Nothing() {
  const text = useText(groupText)
  const channels = useChannelsInAll()
  if (channels?.total !== 0) return <Empty text={text} action={<Add />} />
  return (
    <Empty
      text={{ ...text, emptyHint: text.noChannels }}
      action={<ButtonLink to="/admin/channels/new">{text.addChannel}</ButtonLink>}
    />
  )
}
