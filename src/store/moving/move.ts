import type {
  BegunMove,
  MovedRow,
  MovedTable,
  MovePlace,
  MoveSource,
  MoveTarget,
  TableExtent,
  WantedRows,
} from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { quoted } from '../schema/sql.ts'
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

export interface MoveConnection {
  readonly place: string
  readonly identity: string
  /** Names of a table's columns: its name is `$1`. */
  readonly selectColumns: string
  /** Rows as arrays; values are `$1`, `$2` … Rejects with explained errors. */
  ask(text: string, values?: readonly unknown[]): Promise<readonly MovedRow[]>
  /** All that `work` does, or nothing of it. */
  transaction(work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}

const createReader = ({
  place,
  identity,
  selectColumns,
  ask,
  close,
}: MoveConnection): MovePlace => ({
  ...{ place, identity, close },
  async columns({ name, without = [] }) {
    const found = await ask(selectColumns, [name])
    return found.map(([column]) => String(column)).filter((column) => !without.includes(column))
  },
  rows: ({ table: { name, key }, columns, after = [], limit }) => {
    const names = quotedList(key)
    const values = key.map((_, index) => `$${index + 1}`).join(', ')
    const condition = after.length === 0 ? '' : `WHERE (${names}) > (${values})`
    const text = `SELECT ${quotedList(columns)} FROM ${quoted(name)} ${condition}
      ORDER BY ${names} LIMIT $${after.length + 1}`
    return ask(text, [...after, limit])
  },
})

export async function readExtent({ ask }: MoveConnection): Promise<readonly TableExtent[]> {
  const extent: TableExtent[] = []
  for (const { name, key } of movedTables) {
    const newest = key[0] === 'id' ? 'max(id)' : 'NULL'
    const [[rows, last] = []] = await ask(`SELECT count(*), ${newest} FROM ${quoted(name)}`)
    extent.push({ table: name, rows: Number(rows), newest: last == null ? null : Number(last) })
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
  async sealedKeys() {
    const found = await connection.ask(selectSealed)
    return found.map(([owner, sealed]) => ({
      owner: String(owner),
      sealed: sealed instanceof Uint8Array ? sealed : new Uint8Array(),
    }))
  },
  isChanged,
})

interface TargetParts {
  readonly begun: BegunMove | undefined
  readonly takesNul: boolean
  insert(rows: Pick<WantedRows, 'table' | 'columns'>, moved: readonly MovedRow[]): Promise<unknown>
  empty(): Promise<unknown>
  /** Makes it ready to be served from; `unmark` says that the move is finished. */
  finish(unmark: () => Promise<unknown>): Promise<void>
}

/** A target whose tables are there. */
export function createTarget(
  connection: MoveConnection,
  { begun, takesNul, insert, empty, finish }: TargetParts,
): MoveTarget {
  const { ask, transaction } = connection
  const unmark = () => ask('DROP TABLE unfinished_move')
  return {
    ...createReader(connection),
    ...{ takesNul, begun },
    begin: ({ source, extent }) =>
      transaction(async () => {
        await ask(
          'CREATE TABLE unfinished_move (source TEXT NOT NULL, extent TEXT NOT NULL, so_far TEXT)',
        )
        const values = [source, JSON.stringify(extent)]
        await ask('INSERT INTO unfinished_move VALUES ($1, $2, NULL)', values)
      }),
    append: (rows, moved, soFar) =>
      transaction(async () => {
        await insert(rows, moved)
        await ask('UPDATE unfinished_move SET so_far = $1', [JSON.stringify(soFar)])
      }),
    clear: () =>
      transaction(async () => {
        await empty()
        await unmark()
      }),
    finish: () => finish(unmark),
  }
}

/** What an unfinished move has left. */
export async function readMark({ ask }: MoveConnection): Promise<BegunMove | undefined> {
  const [mark] = await ask('SELECT source, extent, so_far FROM unfinished_move')
  if (mark === undefined) return undefined
  const [source, extent, soFar] = mark
  return {
    source: String(source),
    extent: JSON.parse(String(extent)),
    soFar: soFar === null ? undefined : JSON.parse(String(soFar)),
  }
}

/** Throws where one of these tables has rows. */
export async function requireEmpty(
  { ask, place }: MoveConnection,
  tables = movedTables,
): Promise<void> {
  for (const { name } of tables) {
    const rows = await ask(`SELECT 1 FROM ${quoted(name)} LIMIT 1`)
    if (rows.length === 0) continue
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
