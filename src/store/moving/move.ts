import type {
  BegunMove,
  MovedRow,
  MovedTable,
  MovePlace,
  MoveSource,
  MoveTarget,
  SealedKey,
  TableExtent,
} from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { endLeases } from '../queries/leases.ts'
import { all, type Engine, first, one, run, type Steps } from '../queries/steps.ts'
import { quoted, type Sql, sql } from '../schema/sql.ts'
import { newestVersion } from '../schema/versions.ts'

const byId = (name: string, money: readonly string[] = []): MovedTable => ({
  name,
  key: ['id'],
  money,
})

/** All tables that are moved, each after those that it refers to. */
export const movedTables: readonly MovedTable[] = [
  byId('account', ['balance_nano', 'reserved_nano']),
  byId('channel'),
  byId('group'),
  { name: 'group_channel', key: ['group_id', 'position'] },
  byId('token'),
  byId('model_price'),
  { name: 'setting', key: ['name'] },
  byId('credential'),
  byId('session'),
  byId('verification'),
  byId('two_factor'),
  byId('passkey'),
  { name: 'used_code', key: ['account_id', 'code_hash'] },
  byId('audit'),
  { name: 'cooling', key: ['channel_id', 'key', 'model'] },
  { name: 'availability', key: ['size', 'started_at', 'group_id', 'model'] },
  { name: 'usage_day', key: ['token_id', 'day', 'model'], money: ['amount_nano'] },
  {
    name: 'usage_total',
    key: ['day', 'model'],
    money: ['amount_nano'],
    partsTable: 'usage_total_part',
  },
  // The nodes that made the reservations do not exist in the new database.
  {
    name: 'reservation',
    key: ['request_id'],
    money: ['amount_nano'],
    without: ['node_id', 'is_open'],
  },
  // Ended when all is moved: their nodes do not exist there, either.
  { name: 'lease', key: ['purse', 'node_id'], money: ['amount_nano'] },
  { name: 'background_answer', key: ['request_id'] },
  { name: 'kept_answer', key: ['answer_id', 'account_id'] },
  byId('ledger', ['amount_nano']),
  byId('request', ['amount_nano']),
  { name: 'attempt', key: ['request_row', 'position'], without: ['request_id'] },
]

export const quotedList = (names: readonly string[]): string => names.map(quoted).join(', ')

/** Closes the connection where `work` fails. */
export async function orClose<Result>(
  connection: MoveConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** The error for opening the target of an unfinished move. */
export const unfinished = (place: string): StoreError =>
  new StoreError(
    `The database ${place} is not whole: moving another one into it was begun and not finished. Run ` +
      '"tollgate migrate" again as before: it goes on where it was. To give it up, remove this ' +
      'database.',
  )

/** A connection of which a move has the only use. */
export interface MoveConnection extends Pick<Engine, 'read' | 'write'> {
  readonly place: string
  readonly identity: string
  columnsOf(table: string): Sql<{ readonly name: string }>
  close(): Promise<void>
}

const createReader = ({ place, identity, columnsOf, read, close }: MoveConnection): MovePlace => ({
  ...{ place, identity, close },
  async columns({ name: table, without = [] }) {
    const found = await read(() => all(columnsOf(table)))
    return found.map(({ name }) => name).filter((name) => !without.includes(name))
  },
  rows: ({ table: { name, key }, columns, after, limit }) => {
    const names = sql.raw(quotedList(key))
    const condition = after ? sql`WHERE (${names}) > (${sql.join(after)})` : sql``
    const text = sql<MovedRow>`SELECT ${sql.raw(quotedList(columns))} FROM ${sql.ref(name)}
      ${condition} ORDER BY ${names} LIMIT ${limit}`
    return read(() => all(text))
  },
})

export function* readExtent(): Steps<readonly TableExtent[]> {
  const extent: TableExtent[] = []
  for (const { name: table, key } of movedTables) {
    const newest = sql.raw(key[0] === 'id' ? 'max(id)' : 'NULL')
    const text = sql<Omit<TableExtent, 'table'>>`SELECT count(*) AS rows, ${newest} AS newest
      FROM ${sql.ref(table)}`
    extent.push({ table, ...(yield* one(text)) })
  }
  return extent
}

/** A source of whose state `extent` was read first. */
export const createSource = (
  connection: MoveConnection,
  extent: readonly TableExtent[],
  isChanged: () => Promise<boolean>,
): MoveSource => ({
  ...createReader(connection),
  extent: async () => extent,
  sealedKeys: () => connection.read(() => all(sql.raw<SealedKey>(selectSealed))),
  isChanged,
})

interface TargetParts {
  readonly begun: BegunMove | undefined
  readonly takesNul: boolean
  insert(table: MovedTable, rows: readonly MovedRow[]): Steps<void>
  empty(): Steps<unknown>
  /** Makes it ready to be served from; `open` ends leases and says that the move is finished. */
  finish(open: () => Steps<unknown>): Promise<void>
}

/** A target whose tables are there. */
export function createTarget(
  connection: MoveConnection,
  { begun, takesNul, insert, empty, finish }: TargetParts,
): MoveTarget {
  const { write } = connection
  const unmark = () => run(sql`DROP TABLE unfinished_move`)
  function* open() {
    yield* endLeases()
    yield* unmark()
  }
  return {
    ...createReader(connection),
    ...{ takesNul, begun },
    begin: ({ source, extent }) =>
      write(function* () {
        yield* run(sql`CREATE TABLE unfinished_move (source TEXT NOT NULL, extent TEXT NOT NULL,
          so_far TEXT)`)
        const values = sql.join([source, JSON.stringify(extent)])
        yield* run(sql`INSERT INTO unfinished_move VALUES (${values}, NULL)`)
      }),
    append: (table, rows, soFar) =>
      write(function* () {
        yield* insert(table, rows)
        yield* run(sql`UPDATE unfinished_move SET so_far = ${JSON.stringify(soFar)}`)
      }),
    clear: () =>
      write(function* () {
        yield* empty()
        yield* unmark()
      }),
    finish: () => finish(open),
  }
}

/** What an unfinished move has left. */
export function* readMark(): Steps<BegunMove | undefined> {
  const mark = yield* first(
    sql<{ source: string; extent: string; soFar: string | null }>`
      SELECT source, extent, so_far AS "soFar" FROM unfinished_move`,
  )
  if (mark === undefined) return undefined
  const { source, extent, soFar } = mark
  const parsed = soFar === null ? undefined : JSON.parse(soFar)
  return { source, extent: JSON.parse(extent), soFar: parsed }
}

/** Throws where one of these tables has rows. */
export function* requireEmpty(place: string, tables = movedTables): Steps<void> {
  for (const { name } of tables) {
    if ((yield* first(sql`SELECT 1 FROM ${sql.ref(name)} LIMIT 1`)) === undefined) continue
    throw new StoreError(
      `The database ${place} is not empty (table ${name} has rows), and nothing is overwritten or ` +
        'mixed. Give the place of a new one.',
    )
  }
}

/** Throws when the tables of a place that is to be moved, or filled, are not of this version. */
export function requireVersion(version: number, place: string): void {
  if (version === newestVersion) return
  throw new StoreError(
    `The database ${place} is at version ${version}, and this program moves version ` +
      `${newestVersion}. Bring it up to date first: make a backup, then run "tollgate verify" with ` +
      'a configuration whose "store:" names it.',
  )
}

/** The error for a move from a database to itself. */
export const samePlace = (place: string): StoreError =>
  new StoreError(`${place} is the database that is to be moved. Give the place of a new one.`)
