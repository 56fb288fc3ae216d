import { DatabaseError, Pool, type PoolClient, type QueryResult } from 'pg'
import { ConnectionLost } from './failures.ts'
import { placeOf } from './place.ts'
import { type Settings, withSettings } from './settings.ts'
import { toParameter, valueTypes } from './values.ts'

/** A statement; one with a name is prepared once for each connection. */
export interface Statement {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
}

export type Rows = QueryResult<Record<string, unknown>>

/** One connection while a piece of work has it. */
export interface Connection {
  query(statement: Statement): Promise<Rows>
}

/** Connections to one database, made when they are needed and again after they were lost. */
export interface Connections {
  /** Where they lead, for people: without user and password. */
  readonly place: string
  /** What the server knows them by. */
  readonly applicationName: string
  /** Statements so far: each is one round trip. */
  roundTrips(): number
  /** One statement, a transaction by itself. Throws `ConnectionLost` when it was not answered. */
  query(statement: Statement): Promise<Rows>
  /** Lends a connection for several statements. */
  lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** At once at most; default 10. */
  readonly connections?: number
  /** How long a connection may take to be made; default 5,000. */
  readonly connectTimeoutMs?: number
  /** How long a statement may go unanswered; default 60,000. */
  readonly answerTimeoutMs?: number
  /** Of each connection; beside those of the address. */
  readonly settings?: Settings
}

/** Settings of every connection, also of one that is not of the pool. */
export function connectionSettings(options: ConnectionOptions, applicationName: string) {
  return {
    connectionString: options.settings ? withSettings(options.url, options.settings) : options.url,
    application_name: applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    query_timeout: options.answerTimeoutMs ?? 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: valueTypes,
  }
}

/** What the server itself did not say is the end of a connection. */
export function asLost(error: unknown): unknown {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error
  return new ConnectionLost(error.message, { cause: error })
}

/** Makes no connection yet. */
export function createConnections(options: ConnectionOptions): Connections {
  const applicationName = `tollgate ${crypto.randomUUID()}`
  const pool = new Pool({
    ...connectionSettings(options, applicationName),
    max: options.connections ?? 10,
    idleTimeoutMillis: 60_000,
  })
  // An idle connection that ends is replaced when the next one is asked for.
  pool.on('error', () => {})
  // One in use tells whoever waits for an answer; an error that nobody listens to ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  let roundTrips = 0

  async function ask(client: PoolClient, { text, values, name }: Statement): Promise<Rows> {
    roundTrips++
    return await client.query({
      text,
      values: values?.map(toParameter) ?? [],
      ...(name && { name }),
    })
  }

  async function lend<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    let client: PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      throw asLost(error)
    }
    // Given back when it is whole, ended when it may have more to say.
    let lost: Error | undefined
    const query = async (statement: Statement): Promise<Rows> => {
      try {
        return await ask(client, statement)
      } catch (error) {
        const cause = asLost(error)
        if (cause instanceof ConnectionLost) lost = cause
        throw cause
      }
    }
    try {
      return await work({ query })
    } finally {
      client.release(lost)
    }
  }

  return {
    place: placeOf(options.url),
    applicationName,
    roundTrips: () => roundTrips,
    lend,
    query: (statement) => lend((connection) => connection.query(statement)),
    close: () => pool.end(),
  }
}
