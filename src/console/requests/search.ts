import { useNavigate, useSearch } from '@tanstack/react-router'

/** What a list can be filtered by; the names are those of the API and of the address. */
export const filterNames = [
  ...(['request_id', 'outcome', 'account', 'token', 'group', 'model', 'channel'] as const),
  ...(['cause', 'status', 'protocol', 'since', 'until'] as const),
] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = Partial<Readonly<Record<FilterName, string>>>

type Search = Readonly<Record<string, string | number | undefined>>

/** The filters in the address, and how to change one; undefined takes it away. */
export function useFilters() {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: Filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = search[name]
      return value === undefined || value === '' ? [] : [[name, String(value)]]
    }),
  )
  const go = (changed: Search) => void navigate({ to: '.', search: changed, replace: true })
  return {
    filters,
    isLive: search.live === 1,
    set: (name: FilterName, value: string | undefined) =>
      go({ ...search, [name]: value === '' ? undefined : value }),
    setLive: (isLive: boolean) => go({ ...search, live: isLive ? 1 : undefined }),
    clear: () => go({ live: search.live }),
  }
}

/** Filters as a query of the API, for addresses that are opened by the browser itself. */
export const queryOf = (filters: Filters): string => new URLSearchParams(filters).toString()

/** The same for calls, whose whole numbers are numbers. */
export function callQueryOf({ token, status, outcome, ...texts }: Filters) {
  const known = outcome === 'failed' || outcome === 'succeeded' ? { outcome } : {}
  return {
    ...texts,
    ...(token !== undefined && { token: Number(token) }),
    ...(status !== undefined && { status: Number(status) }),
    ...(known as { outcome?: 'failed' | 'succeeded' }),
  }
}
