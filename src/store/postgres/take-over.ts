import { quotedList } from '../moving/move.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import { StoreError } from '../ports/store-error.ts'
import { takeOverPostgres } from '../schema/postgres.ts'
import type { Connection } from './connections.ts'

/** Requests that were copied, of all that there are. */
export interface CopyProgress {
  readonly done: number
  readonly total: number
}

/**
 * Makes the tables of a former program those of the first version, in the transaction that is open. Its
 * nodes call functions that are no more then: so none may live.
 */
export async function takeOver(
  connection: Connection,
  place: string,
  onProgress: (progress: CopyProgress) => void = () => {},
): Promise<void> {
  const text = 'SELECT name FROM node WHERE seen_at > now_ms() - $1 ORDER BY id'
  const { rows } = await connection.query({ text, values: [silentNodeMs] })
  if (rows.length > 0) {
    throw new StoreError(
      `The database ${place} is one of a former program, and nodes of it serve from there ` +
        `(${rows.map(({ name }) => String(name)).join(', ')}): stop them all, then start this one. One ` +
        `that was killed counts as stopped after ${silentNodeMs / 1000} s.`,
    )
  }
  await connection.query({ text: takeOverPostgres })
  await copyRecords(connection, onProgress)
}

/** Requests that are copied by one statement. */
const rowsAtOnce = 50_000

/** Copies requests and attempts into their partitions, in the order of their numbers. */
async function copyRecords({ query }: Connection, onProgress: (progress: CopyProgress) => void) {
  const ask = async (text: string, ...values: unknown[]) => (await query({ text, values })).rows
  const [counted] = await ask('SELECT count(*) AS total FROM former_request')
  const total = Number(counted?.total)
  // A time of each day: that is of each month.
  await ask(`SELECT make_partitions(ARRAY(
    SELECT min(created_at) FROM former_request GROUP BY created_at / 86400000))`)
  const columnsOf = async (table: string) => {
    const text = `SELECT attname AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`
    return quotedList((await ask(text, table)).map(({ name }) => String(name)))
  }
  const requestColumns = await columnsOf('former_request')
  const attemptColumns = await columnsOf('former_attempt')
  let after = Number.MIN_SAFE_INTEGER
  for (let done = 0; after < Number.MAX_SAFE_INTEGER; ) {
    const next = `SELECT id FROM former_request WHERE id > $1 ORDER BY id LIMIT 1 OFFSET ${rowsAtOnce - 1}`
    const to = Number((await ask(next, after))[0]?.id ?? Number.MAX_SAFE_INTEGER)
    const { rowCount } = await query({
      text: `INSERT INTO request (${requestColumns})
        SELECT ${requestColumns} FROM former_request WHERE id > $1 AND id <= $2 ORDER BY id`,
      values: [after, to],
    })
    // What no request has is kept all the same, where `verify` finds it.
    await ask(
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
  await ask(`SELECT setval('request_id_seq', max(id)) FROM request HAVING max(id) IS NOT NULL`)
  await ask('DROP TABLE former_request, former_attempt')
  await ask('ANALYZE request, attempt')
}
