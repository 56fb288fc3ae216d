import { nextPage } from '../lib/next-page.ts'
import { queryOf } from './ask.ts'

/** Where to go after signing in, or up. */
export const afterwards = () => `/console${nextPage(queryOf('next'), location.origin)}`

/** A page like this one, from which one comes to the same place. */
export function beside(path: string): string {
  const next = queryOf('next')
  return next === null ? path : `${path}?${new URLSearchParams({ next })}`
}
