import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { api, type Called, call } from './call.ts'

export { api, type Called, CallFailed, call, onSessionEnd, read } from './call.ts'

type Options<Data> = Omit<UseQueryOptions<Data>, 'queryKey' | 'queryFn'>

/** What the API answers to `ask`, by its name in the cache. */
export const useCall = <Data>(
  queryKey: QueryKey,
  ask: () => Promise<Called<Data>>,
  options?: Options<Data>,
) => useQuery<Data>({ queryKey, queryFn: () => call(ask()), ...options })

/** Who is signed in. Its `error` has status 401 when nobody is. */
export const useMe = () => useCall(['me'], () => api.me.get(), { staleTime: 10_000 })
