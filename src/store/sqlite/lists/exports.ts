import { createPauses } from '../../../lib/slices.ts'
import type { Reader } from './reader.ts'
import { countsIds, type Key, lastId, type Search, selectOf } from './search.ts'

/**
 * Rows that are in memory at once, and the rest after them: taking them over and writing them down
 * is work of the gateway's thread, which must neither be held up nor filled by an export.
 */
const usualSize = 200
const restMs = 10
/** Ids that are looked at by one statement. */
const rowsPerStep = 20_000
/** Of an index by blocks: its rows are put in order anew for each page. */
const rowsPerBlockStep = 8_192

/**
 * All rows of a search, oldest first, a page at a time; those that come in meanwhile are left out.
 * Whoever stops asking ends it.
 */
export async function* readAll<Row>(
  reader: Reader,
  search: Search,
  readRows: (keys: readonly Key[]) => Promise<readonly Row[]>,
  pageSize = usualSize,
): AsyncGenerator<Row> {
  const pause = createPauses()
  const end = Math.min(search.to, (await lastId(reader, search)) + 1)
  let from = search.from
  while (from < end) {
    const to = Math.min(end, await stepTo(reader, search, from))
    const { sql, values } = selectOf(search, { from, to }, `${search.id} AS id`)
    const text = `${sql} ORDER BY ${search.id} LIMIT ?`
    const keys = await reader.all<Key>(text, [...values, pageSize])
    if (keys.length > 0) {
      for (const row of await readRows(keys)) {
        yield row
        await pause()
      }
      await Bun.sleep(restMs)
    }
    const last = keys.at(-1)
    from = last !== undefined && keys.length === pageSize ? last.id + 1 : to
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Where a step ends that begins at `from`. */
async function stepTo(reader: Reader, search: Search, from: number): Promise<number> {
  const { index, others, id, to } = search
  if (index?.blockBits !== undefined) return from + rowsPerBlockStep
  if (others.length === 0) return to
  if (countsIds(index)) return from + rowsPerStep
  const { sql, values } = selectOf({ ...search, others: [] }, { from, to }, `${id} AS id`)
  const text = `${sql} ORDER BY ${id} LIMIT 1 OFFSET ?`
  const [row] = await reader.all<{ id: number }>(text, [...values, rowsPerStep])
  return row?.id ?? to
}
