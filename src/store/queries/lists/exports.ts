import { sql } from 'kysely'
import { giveTurn } from '../../../lib/give-way.ts'
import { createPauses } from '../../../lib/slices.ts'
import type { Steps } from '../steps.ts'
import {
  blockBitsOf,
  countsIds,
  type Key,
  type ListSource,
  lastId,
  read,
  type Search,
  selectOf,
} from './search.ts'

/** Rows that are in memory at once: a millisecond or two of work. */
const usualSize = 100
/**
 * After each page or step this process rests for so many times the CPU time that it has had meanwhile,
 * so that what answers requests on the same processor gets its turn; but no longer than this, for that
 * is also what else it did, while a reader took its time.
 */
const restsPerWork = 2
const mostRestMs = 5
/** Ids that are looked at by one statement: two milliseconds or three. */
const rowsPerStep = 4_000
/** Of an index by blocks: its rows are put in order anew for each page. */
const rowsPerBlockStep = 8_192

interface Wanted<Row> {
  readonly source: ListSource
  readonly search: Search
  readonly readRows: (keys: readonly Key[]) => Steps<readonly Row[]>
  readonly pageSize?: number
  /** Nobody asks any more: where nothing is found, nobody else would end it. */
  readonly signal?: AbortSignal | undefined
}

/**
 * All rows of a search, oldest first, a page at a time; those that come in meanwhile are left out.
 * Whoever stops asking ends it; rejects with the signal's reason.
 */
export async function* readAll<Row>(wanted: Wanted<Row>): AsyncGenerator<Row> {
  const { source, search, readRows, pageSize = usualSize, signal } = wanted
  const pause = createPauses()
  const end = Math.min(search.to, (await lastId(source, search.table, search.id)) + 1)
  let from = search.from
  while (from < end) {
    signal?.throwIfAborted()
    const before = process.cpuUsage()
    const to = Math.min(end, await stepTo(source, search, from))
    const found = selectOf(source, search, { from, to }, `${search.id} AS id`)
    const order = sql.raw(search.id)
    const keys = await read(source, sql<Key>`${found} ORDER BY ${order} LIMIT ${pageSize}`)
    if (keys.length > 0) {
      for (const row of await source.read(() => readRows(keys))) {
        yield row
        giveTurn()
        await pause()
      }
    }
    const last = keys.at(-1)
    from = last !== undefined && keys.length === pageSize ? last.id + 1 : to
    if (from < end) await rest(process.cpuUsage(before))
  }
}

const rest = ({ user, system }: NodeJS.CpuUsage) =>
  Bun.sleep(Math.min(((user + system) / 1000) * restsPerWork, mostRestMs))

/** Where a step ends that begins at `from`. */
async function stepTo(source: ListSource, search: Search, from: number): Promise<number> {
  const { index, others, id, to } = search
  if (blockBitsOf(source, index) !== undefined) return from + rowsPerBlockStep
  if (others.length === 0) return to
  if (countsIds(source, index)) return from + rowsPerStep
  const found = selectOf(source, { ...search, others: [] }, { from, to }, `${id} AS id`)
  const [row] = await read(
    source,
    sql<{ id: number }>`${found} ORDER BY ${sql.raw(id)} LIMIT 1 OFFSET ${rowsPerStep}`,
  )
  return row?.id ?? to
}
