import { StoreError } from '../ports/store-error.ts'
import type { Connection, Connections } from './connections.ts'
import { isAway } from './failures.ts'

/**
 * What a transaction is for. `snapshot` reads one and the same state. `write` has no other one beside
 * it; only commits of requests go on, and where one has changed an account that it changes, it is taken
 * back (`isConflict`). `write alone` lets those wait, too. The locks come first: what is read is what
 * was there when they were held.
 */
export type Kind = 'plain' | 'snapshot' | 'write' | 'write alone'

const repeatable = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const write = `${repeatable}; LOCK TABLE schema_version IN EXCLUSIVE MODE`

const beginning: Record<Kind, string> = {
  plain: 'BEGIN',
  snapshot: `${repeatable} READ ONLY`,
  write,
  'write alone': `${write}; LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`,
}

/**
 * All that `work` does, or nothing of it. Throws `StoreError` when the connection was lost while the
 * transaction was ending: nobody knows whether it was kept, so it must not be done again unseen.
 */
export function inTransaction<Result>(
  connections: Connections,
  kind: Kind,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return connections.lend(async (connection) => {
    let result: Result
    try {
      await connection.query({ text: beginning[kind] })
      result = await work(connection)
    } catch (error) {
      // With a lost connection it is taken back by itself.
      await connection.query({ text: 'ROLLBACK' }).catch(() => undefined)
      throw error
    }
    await end(connection, connections.place)
    return result
  })
}

async function end(connection: Connection, place: string): Promise<void> {
  try {
    await connection.query({ text: 'COMMIT' })
  } catch (error) {
    if (!isAway(error)) throw error
    throw new StoreError(
      `The database ${place} was lost while a change was being stored. Look whether it was stored ` +
        'before you make it again.',
      { cause: error },
    )
  }
}
