import type { ChannelItem } from '../../../admin/channels/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import type { Bulk } from '../../parts/bulk.tsx'
import { channelsText } from './list-text.ts'
import { failureOf, useChannelTest } from './row.tsx'

/** What can be done to several channels at once. */
export function useChannelBulk(): Bulk<ChannelItem> {
  const text = useText(channelsText)
  const test = useChannelTest()
  const to = (status: ChannelItem['status']) => (channel: ChannelItem) =>
    call(api.admin.channels({ id: channel.id }).patch({ status }))
  const back = (channel: ChannelItem) => to(channel.status)(channel)
  return {
    nameOf: ({ name }) => name,
    changes: ['channels', 'channel', 'groups', 'group', 'prices'],
    actions: [
      {
        label: text.enable,
        appliesTo: ({ status }) => status !== 'active',
        ...{ run: to('active'), undo: back, done: text.enabledMany },
      },
      {
        label: text.disable,
        appliesTo: ({ status }) => status !== 'disabled',
        ask: (count, names) => ({
          title: text.disableMany(count),
          text: text.disableManyText(names),
        }),
        ...{ run: to('disabled'), undo: back, done: text.disabledMany },
      },
      {
        label: text.test,
        run: async (channel) => {
          const result = await test(channel)
          if (!result.ok) throw new Error(failureOf(result))
        },
        done: text.testedMany,
      },
      {
        ...{ label: text.delete, look: { color: 'red', variant: 'light' } },
        ask: (count, names) => ({
          title: text.deleteMany(count),
          text: text.deleteManyText(names),
        }),
        run: ({ id, groups }) =>
          call(
            api.admin
              .channels({ id })
              .delete({}, { query: { take_out_of_groups: groups.length > 0 } }),
          ),
        done: text.deletedMany,
      },
    ],
  }
}
