import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

/** What a page is filtered by; absent: by nothing. */
export type Filters = { readonly [name: string]: string | undefined }

type Changed = { readonly [name: string]: string | number | null | undefined }

/** The filters of an address with some of them set anew, or taken away. */
const changedFilters = (now: object, changed: Changed) =>
  Object.fromEntries(Object.entries({ ...now, ...changed }).filter(([, value]) => value))

/**
 * The filters of a page, which stand in its address, and a function that sets some of them: nothing
 * (`''`, null, undefined) takes one away.
 */
export function useFilters() {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: Filters = Object.fromEntries(
    Object.entries(search).map(([name, value]) => [name, String(value)]),
  )
  const set = (changed: Changed) => {
    // No page is named: it is the present one. What the address is by now may be newer than what is shown.
    const next = (now: object) => changedFilters(now, changed)
    void navigate({ to: '.', search: next, replace: true, resetScroll: false } as never)
  }
  return [filters, set] as const
}

/** Takes filters away: `key` is for their fields, which begin anew. */
export function useShowAll(...names: readonly string[]) {
  const [, set] = useFilters()
  const [key, setKey] = useState(0)
  const showAll = () => {
    set(Object.fromEntries(names.map((name) => [name, null])))
    setKey(key + 1)
  }
  return { key, showAll }
}
