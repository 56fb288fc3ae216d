import { Client } from 'pg'
import { changeChannel } from '../migrations/0007-postgres-triggers.ts'
import {
  asLost,
  type ConnectionOptions,
  type Connections,
  connectionSettings,
} from './connections.ts'
import { ConnectionLost, explainFailure } from './failures.ts'

/** How long the listening connection may be silent when it is asked. */
const answerMs = 5_000

/** Hears of what other nodes change. */
export interface Changes {
  /**
   * Whether others have changed anything since the last call; also true when the connection was away
   * for a while, for nobody knows what was missed. Throws `StoreError` while there is none.
   */
  since(): Promise<boolean>
  /** Work on the listening connection, made anew when it was lost. Throws `StoreError`. */
  onListener<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
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

  let connecting: Promise<Client> | undefined

  async function reconnect(): Promise<Client> {
    const client = await listen()
    listener = client
    isChanged = true
    return client
  }

  /** The connection that is there, or a new one: one at a time, whoever asks. */
  function connected(): Promise<Client> {
    if (listener) return Promise.resolve(listener)
    connecting ??= reconnect().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  /** Ends with the last that was asked. */
  let busy: Promise<unknown> = Promise.resolve()

  /** One after the other: a connection answers one statement at a time. */
  function onListener<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const turn = busy.then(() => askListener(work))
    busy = turn.catch(() => undefined)
    return turn
  }

  async function askListener<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    if (isClosed) throw new Error(`The database ${place} is closed.`)
    let client: Client | undefined
    try {
      client = await connected()
      return await work(client)
    } catch (error) {
      const cause = asLost(error)
      if (client && cause instanceof ConnectionLost) drop(client)
      throw explainFailure(cause, place)
    }
  }

  listener = await listen().catch((error: unknown) => {
    throw explainFailure(asLost(error), place)
  })
  return {
    async since() {
      if (isClosed) return false
      await onListener((client) => client.query('SELECT 1'))
      const changed = isChanged
      isChanged = false
      return changed
    },
    onListener,
    async close() {
      await busy
      isClosed = true
      await listener?.end()
    },
  }
}
