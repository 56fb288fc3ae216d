import { movedTables } from '../moving/tables.ts'
import {
  createMark,
  notEmpty,
  quoted,
  quotedList,
  readMark,
  requireVersion,
  samePlace,
} from '../moving/texts.ts'
import type { BegunMove, MovedRow, MoveTarget, WantedRows } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { createConnections } from './connections.ts'
import { migrate, readVersion } from './migrate.ts'
import { connectMove, createMoveReader, type MoveConnection } from './moving-connection.ts'
import { requireNoNodes } from './moving-source.ts'
import { toJson } from './values.ts'

/** Key of the lock that one move at a time has: `TGMV` in ASCII. */
const lockKey = 0x54474d56

/**
 * Opens the database that a store is moved into, making its tables. Throws `StoreError` when it holds
 * anything but what an unfinished move has left, or is the source itself.
 */
export async function openPostgresTarget(url: string, sourceIdentity: string): Promise<MoveTarget> {
  const connection = await connectMove(url)
  try {
    if (connection.identity === sourceIdentity) throw samePlace(connection.place)
    await lock(connection)
    const begun = await readBegun(connection, url)
    return assemble(connection, begun)
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function lock({ ask, place }: MoveConnection): Promise<void> {
  const [[isFree] = []] = await ask('SELECT pg_try_advisory_lock($1)::int', [lockKey])
  if (isFree === 1) return
  throw new StoreError(
    `Another move into the database ${place} is running: wait for it, or end it.`,
  )
}

async function readBegun(connection: MoveConnection, url: string): Promise<BegunMove | undefined> {
  const { ask, place } = connection
  const [[isUnfinished] = []] = await ask(
    "SELECT (to_regclass('unfinished_move') IS NOT NULL)::int",
  )
  if (isUnfinished === 1) {
    const [[version] = []] = await ask('SELECT version FROM schema_version')
    requireVersion(Number(version), place)
    return readMark((await ask('SELECT source, extent, so_far FROM unfinished_move'))[0])
  }
  await makeTables(connection, url)
  await requireNoNodes(connection)
  for (const { name, partsTable = name } of movedTables) {
    const rows = await ask(`SELECT 1 FROM ${quoted(partsTable)} LIMIT 1`)
    if (rows.length > 0) throw notEmpty(place, name)
  }
  return undefined
}

/** What is there and older is somebody's: it is not even brought up to date. */
async function makeTables(connection: MoveConnection, url: string): Promise<void> {
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

function assemble(connection: MoveConnection, begun: BegunMove | undefined): MoveTarget {
  const { place, identity, ask, transaction, close } = connection
  const written = movedTables.map(({ name, partsTable = name }) => quoted(partsTable))
  return {
    place,
    identity,
    takesNul: false,
    begun,
    ...createMoveReader(connection),
    begin: ({ source, extent }) =>
      transaction(async () => {
        await ask(createMark(''))
        await ask('INSERT INTO unfinished_move VALUES ($1, $2, NULL)', [
          source,
          JSON.stringify(extent),
        ])
      }),
    append: (rows, moved, soFar) =>
      transaction(async () => {
        await ask(insertRows(rows), [toObjects(rows, moved)])
        await ask('UPDATE unfinished_move SET so_far = $1', [JSON.stringify(soFar)])
      }),
    clear: () =>
      transaction(async () => {
        await ask(`TRUNCATE ${written.join(', ')}`)
        await ask('DROP TABLE unfinished_move')
      }),
    async finish() {
      // What the planner knows of the tables, and which rows all can see.
      await ask(`VACUUM (ANALYZE) ${written.join(', ')}`)
      await transaction(async () => {
        for (const { name, key } of movedTables) {
          if (key[0] === 'id') await ask(continueIds(name))
        }
        await ask('DROP TABLE unfinished_move')
      })
    },
    close,
  }
}

/** New rows get ids after those that were moved. */
const continueIds = (name: string) =>
  `SELECT setval(pg_get_serial_sequence('${quoted(name)}', 'id'), max(id)) FROM ${quoted(name)}
  HAVING max(id) IS NOT NULL`

type Rows = Pick<WantedRows, 'table' | 'columns'>

/** One statement for all rows; a table in parts gets them as its first part. */
function insertRows({ table: { name, partsTable }, columns }: Rows): string {
  const into = quoted(partsTable ?? name)
  const names = quotedList(columns)
  const [part, zero] = partsTable === undefined ? ['', ''] : [', part', ', 0']
  return `INSERT INTO ${into} (${names}${part})
    SELECT ${names}${zero} FROM json_populate_recordset(NULL::${into}, $1::json)`
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
