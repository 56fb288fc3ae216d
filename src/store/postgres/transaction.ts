import { StoreError } from '../ports/store-error.ts'
import type { Connection, Connections } from './connections.ts'
import { isAway } from './failures.ts'

/** How a transaction sees what others write meanwhile. */
export type Isolation = 'read committed' | 'repeatable read, read only' | 'serializable'

const beginning: Record<Isolation, string> = {
  'read committed': 'BEGIN',
  'repeatable read, read only': 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  serializable: 'BEGIN ISOLATION LEVEL SERIALIZABLE',
}

/**
 * All that `work` does, or nothing of it. Throws `StoreError` when the connection was lost while the
 * transaction was ending: nobody knows whether it was kept, so it must not be done again unseen.
 */
export function inTransaction<Result>(
  connections: Connections,
  isolation: Isolation,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return connections.lend(async (connection) => {
    await connection.query({ text: beginning[isolation] })
    let result: Result
    try {
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
