import type { Static } from '@sinclair/typebox'
import { parseDateOrTime } from '../lib/clock.ts'
import { compareCodePoints } from '../lib/code-points.ts'
import { BadCursor, type Listed, ListsBusy, type NamedPageAsked } from '../store/ports/lists.ts'
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

/** A page of a list of the store, and how it is sorted: by time, or else by name. */
interface SortedQuery extends PageQuery {
  readonly sort?: string | undefined
}

/** Reads a page of a list. A cursor of the API is the store's, prefixed with the number of its page. */
export async function answerPage<Row, Item>(
  query: SortedQuery,
  read: (page: NamedPageAsked) => Promise<Listed<Row>>,
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

function askedPage({ cursor, page_size: size = defaultPageSize, sort }: SortedQuery) {
  const order = sort === undefined ? {} : orderOf(sort)
  if (cursor === undefined) return { page: { size, ...order }, number: 1 }
  const [, number, own] = /^([1-9]\d{0,8})\.(.+)$/.exec(cursor) ?? []
  if (own === undefined) throw badCursor(cursor)
  return { page: { size, cursor: own, ...order }, number: Number(number) }
}

/** The columns that stand for the order in which rows were stored. */
const times: ReadonlySet<string> = new Set(['created_at', 'started_at'])

function orderOf(sort: string) {
  const { name, isDescending } = readSort(sort)
  return { isAscending: !isDescending, ...(!times.has(name) && { isByName: true }) }
}

function readSort(sort: string) {
  const isDescending = sort.startsWith('-')
  return { name: isDescending ? sort.slice(1) : sort, isDescending }
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

type Value = string | number | null

/** How rows in memory are sorted. */
interface Order<Row> {
  /** Unique among them: what the rows are in order of, where nothing else is asked for. */
  readonly keyOf: (row: Row) => string
  /** What they can be sorted by, by its name. */
  readonly sorts?: Readonly<Record<string, (row: Row) => Value>>
}

/**
 * A page of rows in memory. The cursor holds where the last row stood, so that rows added or removed in between
 * do not shift the next page.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { cursor, page_size = defaultPageSize, sort }: SortedQuery,
  order: Order<Row>,
  toItem: (row: Row) => Item,
): ListAnswer<Item> {
  const seen = cursor === undefined ? undefined : readCursor(cursor)
  const { places, compare } = placed(rows, order, sort)
  const first = seen === undefined ? 0 : places.findIndex((place) => compare(place, seen) > 0)
  const start = first === -1 ? rows.length : first
  const shown = places.slice(start, start + page_size)
  const last = shown.at(-1)
  const page = (seen?.page ?? 0) + 1
  const hasMore = start + shown.length < rows.length
  return {
    items: shown.map(({ row }) => toItem(row)),
    total: Math.min(rows.length, mostCounted),
    total_is_exact: rows.length <= mostCounted,
    page,
    page_size,
    next: hasMore && last !== undefined ? writeCursor({ ...last, page }) : null,
  }
}

/** Where a row stands: what has the same value is in order of keys. */
interface Place {
  readonly value: Value
  readonly key: string
}

/** Rows in the order that is asked for. */
function placed<Row>(rows: readonly Row[], { keyOf, sorts }: Order<Row>, sort?: string) {
  const { name, isDescending } = readSort(sort ?? '')
  const sortOf = sorts?.[name]
  const compare = (a: Place, b: Place) =>
    compareValues(a.value, b.value, isDescending) || compareCodePoints(a.key, b.key)
  const places = rows.map((row) => ({ row, value: sortOf?.(row) ?? null, key: keyOf(row) }))
  return { places: sortOf ? places.sort(compare) : places, compare }
}

/** What has no value comes last, either way. */
function compareValues(a: Value, b: Value, isDescending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order =
    typeof a === 'number' && typeof b === 'number' ? a - b : compareCodePoints(String(a), String(b))
  return isDescending ? -order : order
}

/** Sorts rows by their ids. */
export const idKey = ({ id }: { readonly id: number }): string => String(id).padStart(16, '0')

interface Seen extends Place {
  readonly page: number
}

const writeCursor = ({ key, page, value }: Seen) =>
  Buffer.from(JSON.stringify([key, page, value])).toString('base64url')

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === 'string' || typeof value === 'number'

function readCursor(cursor: string): Seen {
  try {
    const [key, page, value = null] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof key === 'string' && Number.isSafeInteger(page) && isValue(value)) {
      return { key, page, value }
    }
  } catch {
    // refused below
  }
  throw badCursor(cursor)
}
