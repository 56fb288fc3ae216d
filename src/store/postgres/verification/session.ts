import type { Reading } from '../../queries/verification/verification.ts'
import type { Connection, Connections } from '../connections.ts'
import { follow } from '../engine.ts'
import { explainFailure } from '../failures.ts'

/**
 * One connection that sees one and the same state from beginning to end, and has tables of its own that
 * are gone with it. Readers hinder no writer here, however long they take.
 */
export async function openSession(connections: Connections): Promise<Reading & AsyncDisposable> {
  const { place } = connections
  const lent = Promise.withResolvers<Connection>()
  const ended = Promise.withResolvers<void>()
  const lending = connections.lend(async (connection) => {
    await connection.query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ' })
    lent.resolve(connection)
    await ended.promise
    // With a lost connection it is taken back by itself.
    await connection.query({ text: 'ROLLBACK' }).catch(() => undefined)
  })
  lending.catch(lent.reject)
  const connection = await lent.promise.catch((error: unknown) => {
    throw explainFailure(error, place)
  })
  const read: Reading['read'] = async (steps) => {
    try {
      return await follow(connection, steps())
    } catch (error) {
      throw explainFailure(error, place)
    }
  }
  return {
    read,
    snapshot: read,
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await lending
    },
  }
}
