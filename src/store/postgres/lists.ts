import { DatabaseError } from 'pg'
import { ListsBusy } from '../ports/lists.ts'
import { StoreError } from '../ports/store-error.ts'
import { type ListSource, read, searchMs } from '../queries/lists/search.ts'
import type { Engine } from '../queries/steps.ts'
import { sql } from '../schema/sql.ts'
import type { Settings } from './connections.ts'

/** How many lists are read at once, and how many may wait for them. */
export const listConnections = 3
const maxWaiting = 64

const statementMs = 10_000

/** Of the connections for lists, which only read: makes the server choose the index in a list's order. */
export const listSettings: Settings = {
  default_transaction_read_only: 'on',
  statement_timeout: statementMs,
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  random_page_cost: 1.1,
}

/** Lists of a PostgreSQL database, by `listConnections` connections of their own. */
export function createSource(engine: Pick<Engine, 'read'>): ListSource {
  const enter = createPlaces()
  const source: ListSource = {
    async read(steps) {
      using _place = await enter()
      try {
        return await engine.read(steps)
      } catch (error) {
        if (!tookTooLong(error)) throw error
        throw new ListsBusy(
          `The database took more than ${statementMs / 1000} s for a list, which was cancelled. Try ` +
            'again in some seconds, or ask for a shorter span of time.',
          { cause: error },
        )
      }
    },
    from: (table) => sql.raw(table),
    blockBits: () => undefined,
    quickMs: 10,
    searchMs,
    newestRequest: (sinceRow) => newestRequest(source, sinceRow),
  }
  return source
}

const tookTooLong = (error: unknown) =>
  error instanceof StoreError &&
  error.cause instanceof DatabaseError &&
  error.cause.code === '57014'

/** Waits for a place; the end of the caller's `using` block releases it. */
function createPlaces(): () => Promise<Disposable> {
  const waiting: (() => void)[] = []
  let free = listConnections
  const place: Disposable = {
    [Symbol.dispose]() {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    },
  }
  return async () => {
    if (free > 0) {
      free--
      return place
    }
    if (waiting.length >= maxWaiting) {
      throw new ListsBusy(
        `${waiting.length} lists are waiting to be read from the database. Try again in some seconds.`,
      )
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
    return place
  }
}

/** How many rows are searched for a gap, and how long a gap may still be filled. */
const rowsAtOnce = 2_000
const openMs = 10_000

/** Rows are numbered in one order and committed in another: rows after a young gap wait for it to fill. */
async function newestRequest(source: ListSource, sinceRow: number | undefined): Promise<number> {
  const since = sinceRow ?? sql`(SELECT max(id) - ${sql.lit(rowsAtOnce)} FROM request)`
  const before = sinceRow ?? sql`id - 1`
  const [row] = await read(
    source,
    sql<{ id: number | null }>`
      WITH near AS (
        SELECT id, created_at, duration_ms FROM request WHERE id > ${since}
        ORDER BY id LIMIT ${sql.lit(rowsAtOnce)}
      ), each AS (
        SELECT id, created_at + duration_ms AS ended_at,
          lag(id, 1, ${before}) OVER (ORDER BY id) AS former FROM near
      )
      SELECT coalesce(
        min(former) FILTER (WHERE id > former + 1 AND ended_at > now_ms() - ${sql.lit(openMs)}),
        max(id)
      ) AS id FROM each`,
  )
  return row?.id ?? sinceRow ?? 0
}
