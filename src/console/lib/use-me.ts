import { useQuery } from '@tanstack/react-query'
import { api, call } from './api.ts'

/** Who is signed in. Its `error` has status 401 when nobody is. */
export const useMe = () =>
  useQuery({ queryKey: ['me'], queryFn: () => call(api.me.get()), staleTime: 10_000 })
