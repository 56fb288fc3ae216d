import { parseDateOrTime } from '../lib/clock.ts'
import { ApiError } from './api-error.ts'

const hasClockOnly = /T\d\d:\d\d[^Z+-]*$/

/**
 * Milliseconds since 1970 of a time in a query: a date, or a date-time, of UTC unless it has an
 * offset. Throws an `ApiError` that names the field.
 */
export function readTime(field: string, text: string): number {
  const time = parseDateOrTime(hasClockOnly.test(text) ? `${text}Z` : text)
  if (time !== undefined) return time
  throw new ApiError(
    'invalid_value',
    `${field}: ${JSON.stringify(text.slice(0, 40))} is not a time: write 2026-11-21 or 2026-11-21T08:30:00Z.`,
    { field },
  )
}

interface AskedSpan {
  readonly since?: string
  readonly until?: string
}

/** The span of a query, as the store's lists take it. */
export const readSpan = ({ since, until }: AskedSpan) => ({
  ...(since !== undefined && { since: readTime('since', since) }),
  ...(until !== undefined && { until: readTime('until', until) }),
})
