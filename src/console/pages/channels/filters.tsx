import { SimpleGrid } from '@mantine/core'
import { api, useCall } from '../../lib/api.ts'
import { useFilters } from '../../lib/filters.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { useGroupNames } from '../../lib/names.ts'
import { Choice, Search, TextFilter } from '../../parts/filters.tsx'
import { protocols } from './channel-fields.ts'
import { channelsText } from './list-text.ts'
import { stateText } from './state.tsx'

const states = [
  ...(['works', 'failing', 'partly', 'cooling', 'unused', 'draining', 'disabled'] as const),
] as const

/** What the list can be filtered by, as its address calls it. */
export const filterNames = ['search', 'state', 'protocol', 'host', 'group', 'model'] as const

/** The filters of the address, as the API takes them. */
export function useChannelFilter() {
  const [filters] = useFilters()
  const { state, ...texts } = Object.fromEntries(
    filterNames.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  ) as { readonly [Name in (typeof filterNames)[number]]?: string }
  const known = states.find((one) => one === state)
  return { ...texts, ...(known && { state: known }) }
}

/** Narrows the list of channels. */
export function ChannelFilters() {
  const text = useText(channelsText)
  const words = useText(stateText)
  const channels = useCall(['channels', 'any'], () =>
    api.admin.channels.get({ query: { page_size: 1 } }),
  )
  const groups = useGroupNames() ?? []
  // Of nothing there is nothing to look for.
  if (channels.data?.total === 0) return null
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm" component="search">
      <Search label={text.search} placeholder={text.searchHint} />
      <Choice name="state" label={text.state} data={choicesOf(states, words)} />
      <Choice name="protocol" label={text.protocol} data={protocols} />
      <Choice name="host" label={text.host} data={channels.data?.hosts ?? []} />
      <Choice name="group" label={text.group} data={groups} />
      <TextFilter name="model" label={text.model} />
    </SimpleGrid>
  )
}
