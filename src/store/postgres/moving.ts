import { Client } from 'pg'
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
import type { BegunMove, MovedRow, MoveSource, MoveTarget, WantedRows } from '../ports/copies.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import { StoreError } from '../ports/store-error.ts'
import { quoted } from '../schema/sql.ts'
import { checkVersion } from '../schema/versions.ts'
import {
  asLost,
  type Connection,
  connectionSettings,
  createConnections,
  toJson,
  toParameter,
} from './connections.ts'
import { explainFailure } from './failures.ts'
import { migrate, readVersion } from './migrate.ts'
import { liveNodes } from './take-over.ts'
import { placeOf } from './tls.ts'

/** Opens a database that is to be moved, and that no node serves from. Throws `StoreError`. */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  const connection = await connectMove(url)
  return orClose(connection, () => open(connection))
}

async function open(connection: PostgresMove): Promise<MoveSource> {
  const { place, ask } = connection
  const version = await readVersion(connection, place)
  if (version === 0) throw new StoreError(`The database ${place} is empty: nothing is to be moved.`)
  checkVersion(version, place)
  requireVersion(version, place)
  await requireNoNodes(connection)
  // From the first reading on all is of one state.
  await ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const before = await readExtent(connection)
  return createSource(connection, before, async () => {
    await ask('COMMIT')
    if ((await readLiveNodes(connection)).length > 0) return true
    return !Bun.deepEquals(await readExtent(connection), before)
  })
}

async function requireNoNodes(connection: MoveConnection): Promise<void> {
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

async function lock({ ask, place }: MoveConnection): Promise<void> {
  const [[isFree] = []] = await ask('SELECT pg_try_advisory_lock($1)::int', [lockKey])
  if (isFree === 1) return
  throw new StoreError(
    `Another move into the database ${place} is running: wait for it, or end it.`,
  )
}

async function readBegun(connection: PostgresMove, url: string): Promise<BegunMove | undefined> {
  const { ask, place } = connection
  const [[isUnfinished] = []] = await ask(
    "SELECT (to_regclass('unfinished_move') IS NOT NULL)::int",
  )
  if (isUnfinished === 1) {
    const [[version] = []] = await ask('SELECT version FROM schema_version')
    requireVersion(Number(version), place)
    return readMark(connection)
  }
  await makeTables(connection, url)
  await requireNoNodes(connection)
  await requireEmpty(connection)
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
  const { ask, transaction } = connection
  const written = movedTables.map(({ name, partsTable = name }) => quoted(partsTable)).join(', ')
  return createTarget(connection, {
    ...{ takesNul: false, begun },
    async insert(rows, moved) {
      const at = rows.columns.indexOf('created_at')
      if (rows.table.name === 'request')
        await ask('SELECT make_partitions($1)', [moved.map((row) => row[at])])
      return ask(insertRows(rows), [toObjects(rows, moved)])
    },
    empty: () => ask(`TRUNCATE ${written}`),
    async finish(unmark) {
      // Statistics for the planner, and the visibility map.
      await ask(`VACUUM (ANALYZE) ${written}`)
      await transaction(async () => {
        for (const { name, key } of movedTables) {
          if (key[0] === 'id') await ask(continueIds(name))
        }
        await unmark()
      })
    },
  })
}

const continueIds = (name: string) =>
  `SELECT setval(pg_get_serial_sequence('${quoted(name)}', 'id'), max(id)) FROM ${quoted(name)}
  HAVING max(id) IS NOT NULL`

type Rows = Pick<WantedRows, 'table' | 'columns'>

/** One statement for all rows. Rows of a table in parts go into its first part. */
function insertRows({ table: { name, partsTable }, columns }: Rows): string {
  const into = quoted(partsTable ?? name)
  const names = quotedList(columns)
  const [more, value] =
    name === 'attempt'
      ? [', request_id', ', (SELECT request_id FROM request WHERE id = request_row)']
      : partsTable === undefined
        ? ['', '']
        : [', part', ', 0']
  return `INSERT INTO ${into} (${names}${more})
    SELECT ${names}${value} FROM json_populate_recordset(NULL::${into}, $1::json)`
}

function toObjects({ columns }: Rows, moved: readonly MovedRow[]): string {
  return toJson(
    moved.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, toJsonValue(row[index])])),
    ),
  )
}

const toJsonValue = (value: MovedRow[number] | undefined) =>
  value instanceof Uint8Array ? `\\x${value.toHex()}` : value

/** Large tables take long to count and to vacuum. */
const answerTimeoutMs = 3_600_000

type PostgresMove = MoveConnection & Connection

const selectIdentity = `SELECT 'server ' || system_identifier || ' ' || oid
FROM pg_control_system(), pg_database WHERE datname = current_database()`

async function connectMove(url: string): Promise<PostgresMove> {
  const place = placeOf(url)
  const client = new Client(connectionSettings({ url, answerTimeoutMs }, 'tollgate migrate'))
  // The running statement fails and reports it.
  client.on('error', () => {})
  const explaining = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      throw explainFailure(asLost(error), place)
    }
  }
  const ask = async (text: string, values: readonly unknown[] = []) => {
    const asked = { text, values: values.map(toParameter), rowMode: 'array' as const }
    const { rows } = await explaining(client.query<MovedRow[number][]>(asked))
    return rows
  }
  try {
    await explaining(client.connect())
    const [[identity] = []] = await ask(selectIdentity)
    return {
      place,
      identity: String(identity),
      ask,
      selectColumns,
      query: ({ text, values = [] }) => explaining(client.query({ text, values: [...values] })),
      async transaction(work) {
        await ask('BEGIN')
        try {
          await work()
          await ask('COMMIT')
        } catch (error) {
          // The server rolls back when the connection is lost.
          await ask('ROLLBACK').catch(() => undefined)
          throw error
        }
      },
      close: () => client.end(),
    }
  } catch (error) {
    client.end().catch(() => undefined)
    throw error
  }
}

const selectColumns = `SELECT column_name::text COLLATE "C" FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = $1 ORDER BY 1`

const readLiveNodes = ({ ask }: MoveConnection) => ask(liveNodes, [silentNodeMs])
