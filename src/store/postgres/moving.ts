import {
  createSource,
  createTarget,
  type MoveConnection,
  movedTables,
  orClose,
  quotedList,
  readExtent,
  readMark,
  requireEmpty,
  requireVersion,
  samePlace,
} from '../moving/move.ts'
import type { BegunMove, MovedRow, MovedTable, MoveSource, MoveTarget } from '../ports/copies.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import { StoreError } from '../ports/store-error.ts'
import { all, run } from '../queries/steps.ts'
import { quoted, type Sql, sql } from '../schema/sql.ts'
import { checkVersion } from '../schema/versions.ts'
import { ask, type Connection, type Connections, createConnections, toJson } from './connections.ts'
import { follow, hold, inTransaction } from './engine.ts'
import { migrate, readVersion } from './migrate.ts'
import { readLiveNodes } from './take-over.ts'

/** Opens a database that is to be moved, and that no node serves from. Throws `StoreError`. */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  const connection = await connectMove(url)
  return orClose(connection, () => open(connection))
}

async function open(connection: PostgresMove): Promise<MoveSource> {
  const { place, query, read } = connection
  const version = await readVersion(connection, place)
  if (version === 0) throw new StoreError(`The database ${place} is empty: nothing is to be moved.`)
  checkVersion(version, place)
  requireVersion(version, place)
  await requireNoNodes(connection)
  // From the first reading on all is of one state.
  await query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' })
  const before = await read(readExtent)
  return createSource(connection, before, async () => {
    await query({ text: 'COMMIT' })
    if ((await readLiveNodes(connection)).length > 0) return true
    return !Bun.deepEquals(await read(readExtent), before)
  })
}

async function requireNoNodes(connection: PostgresMove): Promise<void> {
  const names = await readLiveNodes(connection)
  if (names.length === 0) return
  throw new StoreError(
    `Nodes serve from the database ${connection.place} (${names.join(', ')}): stop them first. One ` +
      `that was killed counts as stopped after ${silentNodeMs / 1000} s.`,
  )
}

/** Key of the lock that one move at a time has: `TGMV` in ASCII. */
const lockKey = 0x54474d56

/** Opens the target of a move, making its tables. Throws `StoreError` when it holds other rows. */
export async function openPostgresTarget(url: string, sourceIdentity: string): Promise<MoveTarget> {
  const connection = await connectMove(url)
  return orClose(connection, async () => {
    if (connection.identity === sourceIdentity) throw samePlace(connection.place)
    await lock(connection)
    return assemble(connection, await readBegun(connection, url))
  })
}

async function lock(connection: PostgresMove): Promise<void> {
  const [lock] = await ask(connection, 'SELECT pg_try_advisory_lock($1) AS "isFree"', lockKey)
  if (lock?.isFree) return
  throw new StoreError(
    `Another move into the database ${connection.place} is running: wait for it, or end it.`,
  )
}

async function readBegun(connection: PostgresMove, url: string): Promise<BegunMove | undefined> {
  const { place, read } = connection
  const [mark] = await ask(connection, "SELECT to_regclass('unfinished_move') IS NOT NULL AS is")
  if (mark?.is) {
    const [found] = await ask(connection, 'SELECT version FROM schema_version')
    requireVersion(Number(found?.version), place)
    return read(readMark)
  }
  await makeTables(connection, url)
  await requireNoNodes(connection)
  await read(() => requireEmpty(place))
  return undefined
}

/** An older database belongs to the user: it is not upgraded. */
async function makeTables(connection: PostgresMove, url: string): Promise<void> {
  const { place } = connection
  const version = await readVersion(connection, place)
  if (version > 0) return requireVersion(version, place)
  const connections = createConnections({ url })
  try {
    await migrate(connections)
  } finally {
    await connections.close()
  }
}

function assemble(connection: PostgresMove, begun: BegunMove | undefined): MoveTarget {
  const written = movedTables.map(({ name, partsTable = name }) => quoted(partsTable)).join(', ')
  return createTarget(connection, {
    ...{ takesNul: false, begun },
    *insert(table, rows) {
      const times = rows.map((row) => row.created_at)
      if (table.name === 'request') yield* all(sql`SELECT make_partitions(${times})`)
      yield* run(insertRows(table, rows))
    },
    empty: () => run(sql.raw(`TRUNCATE ${written}`)),
    async finish(open) {
      // Statistics for the planner, and the visibility map.
      await connection.query({ text: `VACUUM (ANALYZE) ${written}` })
      await connection.write(function* () {
        for (const { name, key } of movedTables) if (key[0] === 'id') yield* all(continueIds(name))
        yield* open()
      })
    },
  })
}

const continueIds = (name: string) =>
  sql.raw(`SELECT setval(pg_get_serial_sequence('${quoted(name)}', 'id'), max(id))
    FROM ${quoted(name)} HAVING max(id) IS NOT NULL`)

/** One statement for all rows. Rows of a table in parts go into its first part. */
function insertRows({ name, partsTable }: MovedTable, rows: readonly MovedRow[]): Sql {
  const into = quoted(partsTable ?? name)
  const names = quotedList(Object.keys(rows[0] ?? {}))
  const [more, value] =
    name === 'attempt'
      ? [', request_id', ', (SELECT request_id FROM request WHERE id = request_row)']
      : partsTable === undefined
        ? ['', '']
        : [', part', ', 0']
  const start = sql.raw(`INSERT INTO ${into} (${names}${more})
    SELECT ${names}${value} FROM json_populate_recordset(NULL::${into}, `)
  return sql`${start}${toJson(rows.map(withHex))}::json)`
}

/** Bytes as the database reads them. */
const withHex = (row: MovedRow) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? `\\x${value.toHex()}` : value,
    ]),
  )

/** Large tables take long to count and to vacuum. */
const answerTimeoutMs = 3_600_000

/** So long a move waits at its end for a server that does not answer. */
const unlockMs = 1_000

type PostgresMove = MoveConnection & Connection

const selectIdentity = `SELECT 'server ' || system_identifier || ' ' || oid AS identity
FROM pg_control_system(), pg_database WHERE datname = current_database()`

async function connectMove(url: string): Promise<PostgresMove> {
  const applicationName = 'tollgate migrate'
  const connections = createConnections({ url, answerTimeoutMs, applicationName, connections: 1 })
  const { place } = connections
  try {
    const held = await hold(connections)
    const lent: Pick<Connections, 'place' | 'lend'> = { place, lend: (work) => work(held) }
    const [found] = await ask(held, selectIdentity)
    return {
      ...{ place, identity: String(found?.identity), columnsOf, query: held.query },
      read: (steps) => follow(held, steps()),
      write: (steps) => inTransaction(lent, 'plain', () => follow(held, steps())),
      async close() {
        // The server frees a lock only once it notices that the connection is gone: the next move may come before.
        const unlocked = ask(held, 'SELECT pg_advisory_unlock_all()').catch(() => {})
        await Promise.race([unlocked, Bun.sleep(unlockMs)])
        await held.release()
        await connections.close()
      },
    }
  } catch (error) {
    await connections.close()
    throw error
  }
}

const columnsOf = (table: string) => sql<{ name: string }>`
  SELECT column_name::text COLLATE "C" AS name FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = ${table} ORDER BY 1`
