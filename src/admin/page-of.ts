import { compareCodePoints } from '../lib/table.ts'
import { defaultPageSize, type PageQuery } from './envelope.ts'
import { badCursor, type ListAnswer } from './paging.ts'

/** More rows than these are not counted exactly, as in the lists of the store. */
const mostCounted = 10_000

/**
 * A page of rows that are in memory, in order (code points) of `keyOf`, which tells them apart: the
 * cursor names the last row that was shown, so that rows which come or go in between shift nothing.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { cursor, page_size = defaultPageSize }: PageQuery,
  keyOf: (row: Row) => string,
): ListAnswer<Row> {
  const seen = cursor === undefined ? undefined : readCursor(cursor)
  const first =
    seen === undefined ? 0 : rows.findIndex((row) => compareCodePoints(keyOf(row), seen.key) > 0)
  const start = first === -1 ? rows.length : first
  const items = rows.slice(start, start + page_size)
  const last = items.at(-1)
  const page = (seen?.page ?? 0) + 1
  const hasMore = start + items.length < rows.length
  return {
    items,
    total: Math.min(rows.length, mostCounted),
    total_is_exact: rows.length <= mostCounted,
    page,
    page_size,
    next: hasMore && last !== undefined ? writeCursor({ key: keyOf(last), page }) : null,
  }
}

/** The key of rows in order of their ids. */
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
    // told below
  }
  throw badCursor(cursor)
}
