import { useQuery } from '@tanstack/react-query'
import { api, call, useCall } from './api.ts'

interface NamePage {
  readonly items: readonly { readonly name: string }[]
  readonly next: string | null
}
type Query = { readonly page_size: number; readonly cursor?: string }

/** All names of a list, page after page. */
async function namesOf(ask: (query: Query) => Promise<NamePage>): Promise<readonly string[]> {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = await ask({ page_size: 100, ...(cursor !== undefined && { cursor }) })
    names.push(...page.items.map(({ name }) => name))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return names
}

/** The names of all channels; undefined until they are here. `isWanted`: false asks for nothing. */
export const useChannelNames = (isWanted = true): readonly string[] | undefined =>
  useQuery({
    queryKey: ['channels', 'names'],
    queryFn: () => namesOf((query) => call(api.admin.channels.get({ query }))),
    enabled: isWanted,
  }).data

/** The same of all groups. */
export const useGroupNames = (isWanted = true): readonly string[] | undefined =>
  useQuery({
    queryKey: ['groups', 'names'],
    queryFn: () => namesOf((query) => call(api.admin.groups.get({ query }))),
    enabled: isWanted,
  }).data

/** The list of channels without its items: whether there is any, and at which hosts. */
export const useChannelsInAll = () =>
  useCall(['channels', 'any'], () => api.admin.channels.get({ query: { page_size: 1 } })).data
