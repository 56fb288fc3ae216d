import { useQuery } from '@tanstack/react-query'
import { api, call } from '../lib/api.ts'

/** The names of all channels, page after page; undefined until they are here. */
export function useChannelNames(): readonly string[] | undefined {
  return useQuery({
    queryKey: ['channels', 'names'],
    queryFn: async () => {
      const names: string[] = []
      let cursor: string | undefined
      do {
        const query = { page_size: 100, ...(cursor !== undefined && { cursor }) }
        const page = await call(api.admin.channels.get({ query }))
        names.push(...page.items.map(({ name }) => name))
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
      return names
    },
  }).data
}
