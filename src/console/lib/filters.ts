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

/** What a list can be filtered by, each with its words; null: any text. */
type Known = { readonly [name: string]: readonly string[] | null }

type Chosen<K extends Known> = {
  readonly [Name in keyof K]?: K[Name] extends readonly (infer Word)[] ? Word : string
}

/**
 * The filters of a list that are set in the page's address, as the API takes them. `showAll` removes them; it is false
 * where none is set. `key` changes with it: fields that have it start again empty.
 */
export function useListFilter<const K extends Known>(known: K) {
  const [filters, set] = useFilters()
  const [key, setKey] = useState(0)
  const chosen = Object.entries(known).flatMap(([name, words]) => {
    const value = filters[name]
    return value && (words?.includes(value) ?? true) ? [[name, value] as const] : []
  })
  const showAll = () => {
    set(Object.fromEntries(Object.keys(known).map((name) => [name, null])))
    setKey(key + 1)
  }
  return {
    filter: Object.fromEntries(chosen) as Chosen<K>,
    ...{ key, showAll: chosen.length > 0 && showAll },
  }
}
