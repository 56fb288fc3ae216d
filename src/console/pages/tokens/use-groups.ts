import { useQuery } from '@tanstack/react-query'
import { api, call } from '../../lib/api.ts'

/** The groups that a token can belong to, with what can be called in them. */
export const useGroups = () =>
  useQuery({
    queryKey: ['open-groups'],
    queryFn: () => call(api.groups.get()),
    staleTime: 30_000,
  })
