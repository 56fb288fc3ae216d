import { quotedList } from '../moving/move.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import { StoreError } from '../ports/store-error.ts'
import { takeOverPostgres } from '../schema/postgres.ts'
import { ask, type Connection } from './connections.ts'

/** Names of the nodes that serve. */
export async function readLiveNodes(connection: Connection): Promise<readonly string[]> {
  const text = 'SELECT name FROM node WHERE seen_at > now_ms() - $1 ORDER BY id'
  return (await ask(connection, text, silentNodeMs)).map(({ name }) => String(name))
}

export interface CopyProgress {
  readonly done: number
  readonly total: number
}

/** Upgrades the tables of a former program, in the open transaction. None of its nodes may live. */
export async function takeOver(
  connection: Connection,
  place: string,
  onProgress: (progress: CopyProgress) => void = () => {},
): Promise<void> {
  const names = await readLiveNodes(connection)
  if (names.length > 0) {
    throw new StoreError(
      `The database ${place} is one of a former program, and nodes of it serve from there ` +
        `(${names.join(', ')}): stop them all, then start this one. One ` +
        `that was killed counts as stopped after ${silentNodeMs / 1000} s.`,
    )
  }
  await connection.query({ text: takeOverPostgres })
  await copyRecords(connection, onProgress)
}

const rowsAtOnce = 50_000

/** Copies requests and attempts into their partitions, in the order of their numbers. */
async function copyRecords(connection: Connection, onProgress: (progress: CopyProgress) => void) {
  const [counted] = await ask(connection, 'SELECT count(*) AS total FROM former_request')
  const total = Number(counted?.total)
  // One time of each day covers all quarters.
  await ask(
    connection,
    `SELECT make_partitions(ARRAY(
    SELECT min(created_at) FROM former_request GROUP BY created_at / 86400000))`,
  )
  const columnsOf = async (table: string) => {
    const text = `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`
    return quotedList((await ask(connection, text, table)).map(({ name }) => String(name)))
  }
  const requestColumns = await columnsOf('former_request')
  const attemptColumns = await columnsOf('former_attempt')
  let after = Number.MIN_SAFE_INTEGER
  for (let done = 0; after < Number.MAX_SAFE_INTEGER; ) {
    const next = `SELECT id FROM former_request WHERE id > $1 ORDER BY id LIMIT 1 OFFSET ${rowsAtOnce - 1}`
    const to = Number((await ask(connection, next, after))[0]?.id ?? Number.MAX_SAFE_INTEGER)
    const { rowCount } = await connection.query({
      text: `INSERT INTO request (${requestColumns})
        SELECT ${requestColumns} FROM former_request WHERE id > $1 AND id <= $2 ORDER BY id`,
      values: [after, to],
    })
    // Attempts without a request are copied too: `verify` reports them.
    await ask(
      connection,
      `INSERT INTO attempt (${attemptColumns}, request_id)
        SELECT attempt.*, coalesce(request_id, '') FROM former_attempt AS attempt
        LEFT JOIN former_request ON former_request.id = request_row
        WHERE request_row > $1 AND request_row <= $2 ORDER BY request_row, position`,
      after,
      to,
    )
    done += rowCount ?? 0
    onProgress({ done, total })
    after = to
  }
  await ask(
    connection,
    `SELECT setval('request_id_seq', max(id)) FROM request HAVING max(id) IS NOT NULL`,
  )
  await ask(connection, 'DROP TABLE former_request, former_attempt')
  await ask(connection, 'ANALYZE request, attempt')
}
