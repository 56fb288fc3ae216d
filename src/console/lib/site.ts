import { useQuery } from '@tanstack/react-query'
import type { PublicSettings } from '../../site/settings/schema.ts'
import { api, call, read } from './api.ts'

/** Who is signed in. Its `error` has status 401 when nobody is. */
export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: () => call(api.me.get()), staleTime: 10_000 })

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
