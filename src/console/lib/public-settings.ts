import { useQuery } from '@tanstack/react-query'
import type { PublicSettings } from '../../site/settings/schema.ts'
import { CallFailed } from './api.ts'

/** What the site says of itself to everybody. */
export const usePublicSettings = () =>
  useQuery({
    queryKey: ['public-settings'],
    staleTime: 60_000,
    queryFn: async () => {
      const response = await fetch('/api/v1/settings/public')
      const body: unknown = await response.json()
      if (!response.ok) throw new CallFailed(response.status, body)
      return (body as { readonly data: PublicSettings }).data
    },
  })
