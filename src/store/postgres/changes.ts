import { Client } from 'pg'
import { changeChannel } from '../migrations/0007-postgres-triggers.ts'
import {
  asLost,
  type ConnectionOptions,
  type Connections,
  connectionSettings,
} from './connections.ts'
import { explainFailure } from './failures.ts'

/** How long the listening connection may be silent when it is asked. */
const answerMs = 5_000

/** Hears of what other nodes change. */
export interface Changes {
  /**
   * Whether others have changed anything since the last call; also true when the connection was away
   * for a while, for nobody knows what was missed. Throws `StoreError` while there is none.
   */
  since(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Listens on a connection of its own. Each call asks it for a sign of life: one that is dead without
 * having said so is found out, and what was told on the way is there before the answer.
 */
export async function createChanges(
  options: ConnectionOptions,
  { applicationName, place }: Connections,
): Promise<Changes> {
  let listener: Client | undefined
  let isChanged = false
  let isClosed = false

  async function listen(): Promise<Client> {
    const client = new Client({
      ...connectionSettings({ ...options, answerTimeoutMs: answerMs }, applicationName),
    })
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    client.on('notification', ({ payload }) => {
      if (payload !== applicationName) isChanged = true
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${changeChannel}`)
    } catch (error) {
      drop(client)
      throw error
    }
    return client
  }

  function drop(client: Client): void {
    if (listener === client) listener = undefined
    client.end().catch(() => undefined)
  }

  async function check(): Promise<void> {
    if (listener) return void (await listener.query('SELECT 1'))
    listener = await listen()
    isChanged = true
  }

  listener = await listen().catch((error: unknown) => {
    throw explainFailure(asLost(error), place)
  })
  return {
    async since() {
      if (isClosed) return false
      try {
        await check()
      } catch (error) {
        if (listener) drop(listener)
        throw explainFailure(asLost(error), place)
      }
      const changed = isChanged
      isChanged = false
      return changed
    },
    async close() {
      isClosed = true
      await listener?.end()
    },
  }
}
