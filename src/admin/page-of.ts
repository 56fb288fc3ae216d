import { ApiError } from './api-error.ts'
import type { PageQuery } from './envelope.ts'

/**
 * A page of a list that is in memory, in order of id; the cursor is the last id of a page. Throws
 * on a cursor that is none.
 */
export function pageOf<Item extends { readonly id: number }>(
  all: readonly Item[],
  { cursor, page_size = 50 }: PageQuery,
) {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
    const message = 'This is no cursor of this list: begin again without one.'
    throw new ApiError('invalid_value', message, { field: 'cursor' })
  }
  const after = Number(cursor ?? 0)
  const rest = all.filter(({ id }) => id > after)
  const items = rest.slice(0, page_size)
  return {
    items,
    total: all.length,
    total_is_exact: true,
    page: Math.floor((all.length - rest.length) / page_size) + 1,
    page_size,
    next: rest.length > items.length ? String(items.at(-1)?.id) : null,
  }
}
