import { Client } from 'pg'
import { createMutex } from '../../lib/concurrency.ts'
import type { ChangedElsewhere, DocumentStore, SharedDocument } from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import { changeChannel, ofAccounts } from '../schema/postgres.ts'
import {
  asLost,
  type ConnectionOptions,
  type Connections,
  connectionSettings,
  createSockets,
  type Settings,
  setSettings,
} from './connections.ts'
import { ConnectionLost, explainFailure } from './failures.ts'

const answerMs = 5_000

/** How long the connection may be silent: a node that stalls must not stay the leader. */
const silence: Settings = { idle_session_timeout: 10_000 }

const hears = `SELECT FROM pg_listening_channels() AS channel WHERE channel = '${changeChannel}'`

/** Listens for changes of other nodes. */
export interface Changes {
  /** What others have changed since the last call; `all` after an absence. Throws `StoreError`. */
  since(): Promise<ChangedElsewhere>
  /** Work on the listening connection, made anew when it was lost. Throws `StoreError`. */
  onListener<Result>(work: (client: Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Listens on its own connection, and checks it each time. */
export async function createChanges(
  options: ConnectionOptions,
  { applicationName, place, lend }: Connections,
): Promise<Changes> {
  let listener: Client | undefined
  let changed: ChangedElsewhere = false
  let isClosed = false
  const sockets = createSockets()

  async function listen(): Promise<Client> {
    const client = new Client({
      ...connectionSettings({ ...options, answerTimeoutMs: answerMs }, applicationName),
      stream: sockets.make,
    })
    client.on('error', () => drop(client))
    client.on('end', () => drop(client))
    client.on('notification', ({ payload }) => {
      const isOfAccounts = payload?.endsWith(ofAccounts) === true
      if (payload === applicationName + (isOfAccounts ? ofAccounts : '')) return
      changed = isOfAccounts && changed !== 'all' ? 'accounts' : 'all'
    })
    try {
      await client.connect()
      await client.query(setSettings(silence))
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

  async function reconnect(): Promise<Client> {
    const client = await listen()
    listener = client
    changed = 'all'
    return client
  }

  // A connection answers one statement at a time.
  const inTurn = createMutex()
  const onListener: Changes['onListener'] = (work) => inTurn(() => askListener(work))

  async function askListener<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    if (isClosed) throw new Error(`The database ${place} is closed.`)
    let client: Client | undefined
    try {
      client = listener ?? (await reconnect())
      return await work(client)
    } catch (error) {
      const cause = asLost(error)
      if (client && cause instanceof ConnectionLost) drop(client)
      throw explainFailure(cause, place)
    }
  }

  /** Throws when a pooler has given the session to another client. */
  async function requireHearing(client: Client): Promise<void> {
    if ((await client.query(hears)).rowCount === 1) return
    drop(client)
    throw new StoreError(
      `The database ${place} is behind a pooler that shares its connections between transactions ` +
        '(PgBouncer: pool_mode = transaction), so that changes of other nodes are not heard of: ' +
        'let it pool sessions, or name the database server itself.',
    )
  }

  try {
    listener = await listen()
    const first = listener
    // A transaction pooler assigns a free session to each transaction: the open one takes it.
    await lend(async ({ query }) => {
      await query({ text: 'BEGIN' })
      await requireHearing(first).finally(() => query({ text: 'ROLLBACK' }))
    })
  } catch (error) {
    if (listener) drop(listener)
    throw explainFailure(asLost(error), place)
  }
  return {
    async since() {
      if (isClosed) return false
      await onListener(requireHearing)
      const heard = changed
      changed = false
      return heard
    },
    onListener,
    async close() {
      await inTurn(() => {
        isClosed = true
      })
      await sockets.ended(listener?.end() ?? Promise.resolve())
    },
  }
}

/** Number of the advisory lock of the node that builds. */
const leaderLock = 7_465_002

const selectDocument =
  'SELECT body, gzip, last_modified AS "lastModifiedMs" FROM document WHERE name = $1'

/** Documents in the database. The holder of a lock on its listening connection builds them. */
export function createDocumentStore(onListener: Changes['onListener']): DocumentStore {
  let leading: Client | undefined
  const find = <Row extends object>(text: string, name: string) =>
    onListener(async (client) => (await client.query<Row>(text, [name])).rows[0])
  return {
    leads: () =>
      onListener(async (client) => {
        if (leading === client) return true
        leading = undefined
        const text = 'SELECT pg_try_advisory_lock($1) AS leads'
        const { rows } = await client.query<{ leads: boolean }>(text, [leaderLock])
        if (!rows[0]?.leads) return false
        leading = client
        client.once('end', () => {
          if (leading === client) leading = undefined
        })
        return true
      }),
    isLeading: () => leading !== undefined,
    async lastModifiedMs(name) {
      const text = 'SELECT last_modified AS ms FROM document WHERE name = $1'
      return (await find<{ ms: number }>(text, name))?.ms
    },
    read: (name) => find<SharedDocument>(selectDocument, name),
    write: (name, { body, gzip, lastModifiedMs }) =>
      onListener(async (client) => {
        if (leading !== client) throw new Error('Another node builds the documents now.')
        const text = `INSERT INTO document (name, body, gzip, last_modified) VALUES ($1, $2, $3, $4)
          ON CONFLICT (name) DO UPDATE SET body = excluded.body, gzip = excluded.gzip,
            last_modified = excluded.last_modified`
        await client.query(text, [name, Buffer.from(body), Buffer.from(gzip), lastModifiedMs])
      }),
  }
}
