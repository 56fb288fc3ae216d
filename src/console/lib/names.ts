import { useQuery } from '@tanstack/react-query'
import { api, call, useCall } from './api.ts'

type Query = { readonly page_size: number; readonly cursor?: string }

interface ItemPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** All items of a list, page after page. */
async function allOf<Item>(ask: (query: Query) => Promise<ItemPage<Item>>) {
  const all: Item[] = []
  let cursor: string | undefined
  do {
    const page = await ask({ page_size: 100, ...(cursor !== undefined && { cursor }) })
    all.push(...page.items)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return all
}

interface Named {
  readonly name: string
}
const namesOf = (items: readonly Named[]): readonly string[] => items.map(({ name }) => name)

/** The names of all channels; undefined until they are here. `isWanted`: false asks for nothing. */
export const useChannelNames = (isWanted = true): readonly string[] | undefined =>
  useQuery({
    queryKey: ['channels', 'all'],
    queryFn: () => allOf((query) => call(api.admin.channels.get({ query }))),
    ...{ enabled: isWanted, select: namesOf },
  }).data

const allGroups = {
  queryKey: ['groups', 'all'],
  queryFn: () => allOf((query) => call(api.admin.groups.get({ query }))),
}

/** All groups; undefined until they are here. */
export const useAllGroups = () => useQuery(allGroups).data

/** Their names. */
export const useGroupNames = (): readonly string[] | undefined =>
  useQuery({ ...allGroups, select: namesOf }).data

/** How many channels there are, and the hosts of all, from a page of one. */
export const useChannelsInAll = () =>
  useCall(['channels', 'any'], () => api.admin.channels.get({ query: { page_size: 1 } })).data
