import { useQuery } from '@tanstack/react-query'
import type { PublicSettings } from '../../site/settings/schema.ts'
import { read } from './api.ts'

/** What the site says of itself to everybody. */
export const usePublicSettings = () =>
  useQuery({
    queryKey: ['public-settings'],
    staleTime: 60_000,
    queryFn: async () => {
      const body = await read('/api/v1/settings/public')
      return (body as { readonly data: PublicSettings }).data
    },
  })
