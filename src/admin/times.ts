import { ApiError } from './api-error.ts'

/** A date-time with its offset: what it means is the same everywhere. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970 of a time in a query; throws `ApiError` with the field's name. */
export function readTime(field: string, text: string): number {
  const time = dateTime.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new ApiError(
    'invalid_value',
    `${field}: "${text}" is not a time: write it with its offset, such as 2026-11-21T08:00:00Z.`,
    { field },
  )
}

/** The span of a query, as the store's lists take it. */
export const readSpan = ({ since, until }: { since?: string; until?: string }) => ({
  ...(since !== undefined && { since: readTime('since', since) }),
  ...(until !== undefined && { until: readTime('until', until) }),
})
