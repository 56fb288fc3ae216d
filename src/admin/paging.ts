import type { Static } from '@sinclair/typebox'
import { parseDateOrTime } from '../lib/clock.ts'
import { compareCodePoints } from '../lib/table.ts'
import { BadCursor, type Listed, ListsBusy, type PageAsked } from '../store/ports/lists.ts'
import { ApiError } from './api-error.ts'
import { defaultPageSize, type ListOf, type PageQuery } from './envelope.ts'

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

/** The members that are not undefined. */
export const named = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>
  }

export const readSpan = ({ since, until }: { since?: string; until?: string }) => ({
  ...(since !== undefined && { since: readTime('since', since) }),
  ...(until !== undefined && { until: readTime('until', until) }),
})

/** A page as `ListOf` describes it. */
type ListAnswer<Item> = Omit<Static<ReturnType<typeof ListOf>>, 'items'> & {
  items: Item[]
}

/** Reads a page of a list. A cursor of the API is the store's, prefixed with the number of its page. */
export async function answerPage<Row, Item>(
  query: PageQuery,
  read: (page: PageAsked) => Promise<Listed<Row>>,
  toItem: (row: Row) => Item,
): Promise<ListAnswer<Item> & { searchedBackTo: number | null }> {
  const { page, number } = askedPage(query)
  const { rows, total, totalIsExact, next, searchedBackTo } = await readList(() => read(page))
  return {
    items: rows.map(toItem),
    total,
    total_is_exact: totalIsExact,
    page: number,
    page_size: page.size,
    next: next === null ? null : `${number + 1}.${next}`,
    searchedBackTo,
  }
}

function askedPage({ cursor, page_size: size = defaultPageSize }: PageQuery) {
  if (cursor === undefined) return { page: { size }, number: 1 }
  const [, number, own] = /^([1-9]\d{0,8})\.(.+)$/.exec(cursor) ?? []
  if (own === undefined) throw badCursor(cursor)
  return { page: { size, cursor: own }, number: Number(number) }
}

/** Adds how far back the search got, for lists that search step by step. */
export const withSearch = <Page extends { searchedBackTo: number | null }>(page: Page) => {
  const { searchedBackTo, ...list } = page
  const at = searchedBackTo === null ? null : new Date(searchedBackTo).toISOString()
  return { ...list, searched_back_to: at }
}

/** Reads lists; an invalid cursor becomes a 400, a busy store a 503. `signal`: of a request that ends the reading. */
export async function readList<Result>(
  read: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (signal?.aborted) throw clientHasDisconnected()
    if (error instanceof BadCursor) throw badCursor(error.message)
    if (error instanceof ListsBusy) {
      throw new ApiError('unavailable', error.message, { retryAfterSeconds: 2, cause: error })
    }
    throw error
  }
}

export const clientHasDisconnected = () =>
  new ApiError('unavailable', 'The client has disconnected.')

const badCursor = (cause: string) =>
  new ApiError('invalid_value', 'This is no cursor of this list: begin again without one.', {
    field: 'cursor',
    cause,
  })

/** Larger totals are not exact, as in the lists of the store. */
const mostCounted = 10_000

/**
 * A page of rows in memory, sorted by the unique key `keyOf`. The cursor holds the key of the last row,
 * so that rows added or removed in between do not shift the next page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { cursor, page_size = defaultPageSize }: PageQuery,
  keyOf: (row: Row) => string,
  toItem: (row: Row) => Item,
): ListAnswer<Item> {
  const seen = cursor === undefined ? undefined : readCursor(cursor)
  const first =
    seen === undefined ? 0 : rows.findIndex((row) => compareCodePoints(keyOf(row), seen.key) > 0)
  const start = first === -1 ? rows.length : first
  const shown = rows.slice(start, start + page_size)
  const last = shown.at(-1)
  const page = (seen?.page ?? 0) + 1
  const hasMore = start + shown.length < rows.length
  return {
    items: shown.map(toItem),
    total: Math.min(rows.length, mostCounted),
    total_is_exact: rows.length <= mostCounted,
    page,
    page_size,
    next: hasMore && last !== undefined ? writeCursor({ key: keyOf(last), page }) : null,
  }
}

/** Sorts rows by their ids. */
export const idKey = ({ id }: { readonly id: number }): string => String(id).padStart(16, '0')

interface Seen {
  readonly key: string
  readonly page: number
}

const writeCursor = ({ key, page }: Seen) =>
  Buffer.from(JSON.stringify([key, page])).toString('base64url')

function readCursor(cursor: string): Seen {
  try {
    const [key, page] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof key === 'string' && Number.isSafeInteger(page)) return { key, page }
  } catch {
    // refused below
  }
  throw badCursor(cursor)
}
