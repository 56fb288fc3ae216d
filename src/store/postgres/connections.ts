import { Socket } from 'node:net'
import {
  type ClientBase,
  type CustomTypesConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryResult,
  types,
} from 'pg'
import { StoreError } from '../ports/store-error.ts'
import { ConnectionLost, isStandby, NotConnected } from './failures.ts'
import { encryptionOf, placeOf } from './tls.ts'

/** A statement; one with a name is prepared once for each connection. */
export interface Statement {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
}

export type Rows = QueryResult<Record<string, unknown>>

export interface Connection {
  query(statement: Statement): Promise<Rows>
}

/** The rows of a statement; values are `$1`, `$2` … */
export const ask = async ({ query }: Connection, text: string, ...values: readonly unknown[]) =>
  (await query({ text, values })).rows

/** Connections to one database, made on demand. */
export interface Connections {
  /** Shown in messages: without user and password. */
  readonly place: string
  readonly applicationName: string
  /** Statements so far: each is one round trip. */
  roundTrips(): number
  /** One statement as its own transaction. Throws `ConnectionLost` when it was not answered. */
  query(statement: Statement): Promise<Rows>
  lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`, with `?sslmode=…` (`encryptionOf`). */
  readonly url: string
  /** At once at most; default 10. */
  readonly connections?: number
  /** How long a connection may take to be made; default 5,000. */
  readonly connectTimeoutMs?: number
  /** How long a statement may go unanswered; default 60,000. */
  readonly answerTimeoutMs?: number
  /** Of each connection, set when it has been made. */
  readonly settings?: Settings
  /** `application_name` on the server; default: a unique name. */
  readonly applicationName?: string
  readonly listening?: readonly Listening[]
  /** Check a connection that was idle for a second before it is used. */
  readonly asksFirst?: boolean
}

/** How long a connection is trusted after its last answer, and how long a check may take. */
const signOfLifeMs = { goodFor: 1_000, within: 2_000 }

/** A `NOTIFY` channel: an answer arrives after all notifications that were committed before. */
export interface Listening {
  readonly channel: string
  onPayload(payload: string): void
}

/** What every connection is made with, also one that is not of the pool. Throws `StoreError`. */
export function connectionSettings(options: ConnectionOptions, applicationName: string) {
  const { connectionString, ssl } = encryptionOf(options.url)
  return {
    ...{ connectionString, ssl },
    application_name: applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    query_timeout: options.answerTimeoutMs ?? 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: valueTypes,
  }
}

/** Errors that are neither the server's nor ours mean a lost connection. */
export function asLost(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof StoreError) return error
  if (!(error instanceof Error)) return error
  return new ConnectionLost(error.message, { cause: error })
}

async function listen(client: ClientBase, listening: readonly Listening[]): Promise<void> {
  client.on('notification', ({ channel: on, payload = '' }) => {
    for (const { channel, onPayload } of listening) if (on === channel) onPayload(payload)
  })
  await client.query(listening.map(({ channel }) => `LISTEN ${channel}`).join('; '))
}

/** Makes no connection yet. Throws `StoreError` for an encryption that can't be. */
export function createConnections(options: ConnectionOptions): Connections {
  const { applicationName = `tollgate ${crypto.randomUUID()}`, settings, listening } = options
  const place = placeOf(options.url)
  const sockets = createSockets()
  const pool = new Pool({
    ...connectionSettings(options, applicationName),
    stream: sockets.make,
    max: options.connections ?? 10,
    idleTimeoutMillis: 60_000,
    async onConnect(client) {
      if (settings) await client.query(setSettings(settings))
      if (listening) await listen(client, listening)
    },
  })
  // An idle connection that ends is replaced when the next one is asked for.
  pool.on('error', () => {})
  // One in use fails its statement; an `error` event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  let roundTrips = 0
  let isClosed = false
  const heardTick = new WeakMap<PoolClient, number>()

  /** After a lost connection, idle ones may be dead too: they are dropped. */
  function dropIdle(lost: Error): void {
    for (let left = pool.idleCount; left > 0; left--) {
      pool.connect().then(
        (client) => client.release(lost),
        () => {}, // there is none any more
      )
    }
  }

  async function send(client: PoolClient, { text, values, name }: Statement): Promise<Rows> {
    roundTrips++
    return await client.query({
      text,
      values: values?.map(toParameter) ?? [],
      ...(name && { name }),
    })
  }

  /** A connection that lives; nothing was asked when it throws. */
  async function connected(): Promise<PoolClient> {
    try {
      const client = await pool.connect()
      if (options.asksFirst) await requireSignOfLife(client)
      return client
    } catch (error) {
      const lost = asLost(error)
      throw lost instanceof ConnectionLost
        ? new NotConnected(lost.message, { cause: lost.cause })
        : lost
    }
  }

  async function requireSignOfLife(client: PoolClient): Promise<void> {
    const silentMs = performance.now() - (heardTick.get(client) ?? performance.now())
    if (silentMs < signOfLifeMs.goodFor) return
    try {
      const question = { text: 'SELECT', query_timeout: signOfLifeMs.within }
      await client.query(question)
    } catch (error) {
      const lost = error instanceof Error ? error : true
      client.release(lost)
      if (lost !== true) dropIdle(lost)
      throw error
    }
  }

  async function lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (isClosed) throw new Error(`The database ${place} is closed.`)
    const client = await connected()
    // A failed connection is ended: a late answer may still arrive on it.
    let lost: Error | undefined
    const query = async (statement: Statement): Promise<Rows> => {
      if (lost instanceof ConnectionLost) throw lost
      try {
        return await send(client, statement)
      } catch (error) {
        const cause = asLost(error)
        // The address may name another server by now.
        if (cause instanceof ConnectionLost || isStandby(cause)) lost = cause
        throw cause
      }
    }
    try {
      return await work({ query })
    } finally {
      heardTick.set(client, performance.now())
      client.release(lost)
      if (lost) dropIdle(lost)
    }
  }

  return {
    place,
    applicationName,
    roundTrips: () => roundTrips,
    lend,
    query: (statement) => lend((connection) => connection.query(statement)),
    async close() {
      isClosed = true
      await sockets.ended(pool.end())
    },
  }
}

/** Settings of the server for a connection, by their names there: `statement_timeout`, `jit` … */
export type Settings = Readonly<Record<string, string | number>>

/** The statement that sets them. Settings that the server does not know are left out. */
export function setSettings(settings: Settings) {
  const values = [JSON.stringify(settings)]
  const text = `SELECT set_config(name, wanted.value, false)
    FROM json_each_text($1::json) AS wanted (name, value) JOIN pg_settings USING (name)`
  return { text, values }
}

const goodbyeMs = 1_000

/** The sockets of connections, to cut off those that are dead. */
export function createSockets() {
  const open = new Set<Socket>()
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    /** The driver's `stream`: makes a socket for a connection. */
    make() {
      const socket = new Socket()
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return socket
    },
    /** Waits up to a second for connections to close, then cuts off the rest. */
    async ended(ending: Promise<unknown>) {
      const timer = setTimeout(cut, goodbyeMs)
      try {
        await ending
      } finally {
        clearTimeout(timer)
        cut()
      }
    },
  }
}

/** Numbers of the database that are numbers here, too: money and counts stay below 2^53. */
const numberIds = [types.builtins.INT8, types.builtins.NUMERIC]

/** How values of the database are read: as SQLite gives them. */
export const valueTypes: CustomTypesConfig = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (numberIds.includes(id)) return Number
    if (id === types.builtins.BYTEA) return readBytes
    if (id === types.builtins.JSON) return String
    return types.getTypeParser(id, format)
  },
}

function readBytes(text: string): Uint8Array {
  return Uint8Array.fromHex(text.slice(2))
}

/** A parameter as the database takes it: it has no text with U+0000, and flags are 0 and 1. */
export function toParameter(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  if (typeof value === 'boolean') return value ? 1 : 0
  return value
}

/** JSON escapes for what text of the database can't hold: U+0000, and halves of a character. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** Rows as one JSON parameter; what text can't hold becomes U+FFFD. */
export function toJson(rows: unknown): string {
  const text = JSON.stringify(rows)
  // Matches nothing else, unless after an escaped backslash, which only costs time.
  if (!unstorable.test(text)) return text
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value,
  )
}
