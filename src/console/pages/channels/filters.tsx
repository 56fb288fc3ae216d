import { SimpleGrid } from '@mantine/core'
import { useListFilter } from '../../lib/filters.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { useChannelsInAll, useGroupNames } from '../../lib/names.ts'
import { Choice, Search, TextFilter } from '../../parts/filters.tsx'
import { protocols } from './channel-fields.ts'
import { channelsText } from './list-text.ts'
import { stateText } from './state.tsx'

const states = [
  ...(['works', 'failing', 'partly', 'cooling', 'unused', 'draining', 'disabled'] as const),
] as const

/** What the list is filtered by. */
export const useChannelFilter = () =>
  useListFilter({
    ...{ search: null, state: states, protocol: null },
    ...{ host: null, group: null, model: null },
  })

/** Narrows the list of channels. */
export function ChannelFilters() {
  const text = useText(channelsText)
  const words = useText(stateText)
  const channels = useChannelsInAll()
  const groups = useGroupNames() ?? []
  // Of nothing there is nothing to look for.
  if (channels?.total === 0) return null
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm" component="search">
      <Search label={text.search} placeholder={text.searchHint} />
      <Choice name="state" label={text.state} data={choicesOf(states, words)} />
      <Choice name="protocol" label={text.protocol} data={protocols} />
      <Choice name="host" label={text.host} data={channels?.hosts ?? []} />
      <Choice name="group" label={text.group} data={groups} />
      <TextFilter name="model" label={text.model} />
    </SimpleGrid>
  )
}
