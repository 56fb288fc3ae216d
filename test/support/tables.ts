import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import { valueTypes } from '../../src/store/postgres/connections.ts'
import { databaseOf, testEngine } from './test-store.ts'

type Value = string | number | null

/** The database of a gateway, seen beside it. Each `?` of a statement stands for the next value. */
export interface Tables extends AsyncDisposable {
  rows<Row extends object>(sql: string, ...values: readonly Value[]): Promise<Row[]>
  /** The first column of the first row. */
  one(sql: string, ...values: readonly Value[]): Promise<unknown>
  /** The engine's own judgement of what is stored: `ok`, or what it finds wrong, said or thrown. */
  judge(): Promise<string>
  /** Changes the database behind the gateway's back. */
  change(sql: string, ...values: readonly Value[]): Promise<void>
  /** Keeps all others from changing money until it is disposed of; throws while one is doing so. */
  lock(): Promise<AsyncDisposable>
}

/** Opens the database of a gateway that runs, or ran, with the configuration in `folder`. */
export const openTables = (folder: string): Tables =>
  testEngine === 'postgres'
    ? onServer(() => databaseOf(folder))
    : openFile(join(folder, 'tollgate.db'))

/** Opens a store by its URL, or the path of its file. */
export const openTablesAt = (store: string): Tables =>
  store.includes('://') ? onServer(async () => store) : openFile(store)

/** Compares every index with its table; throws what differs. A partitioned table's own index is empty. */
const checkIndexes = `SELECT bt_index_check(indexrelid, true) FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
  WHERE amname = 'btree' AND relkind = 'i' AND relpersistence = 'p' AND relnamespace = 'public'::regnamespace`

const first = (row: object | undefined): unknown => Object.values(row ?? {})[0]

/** Opens a file of SQLite, whatever engine the tests run on. */
export function openFile(path: string): Tables {
  const db = new Database(path, { readonly: true })
  db.run('PRAGMA busy_timeout = 5000')
  function read<Row extends object>(sql: string, values: readonly Value[]): Row[] {
    // A statement that is kept would hold the journal back when the gateway ends.
    using statement = db.prepare<Row, Value[]>(sql)
    return statement.all(...values)
  }
  return {
    rows: async (sql, ...values) => read(sql, values),
    one: async (sql, ...values) => first(read<object>(sql, values)[0]),
    judge: async () => String(first(read<object>('PRAGMA integrity_check', [])[0])),
    async change(sql, ...values) {
      using writer = new Database(path)
      writer.run('PRAGMA busy_timeout = 5000')
      writer.run(sql, [...values])
    },
    async lock() {
      const writer = new Database(path)
      try {
        writer.run('BEGIN IMMEDIATE')
      } catch (error) {
        writer.close()
        throw error
      }
      return { [Symbol.asyncDispose]: async () => writer.close() }
    },
    async [Symbol.asyncDispose]() {
      db.close()
    },
  }
}

function onServer(url: () => Promise<string>): Tables {
  const connection = async () => ({ connectionString: await url(), types: valueTypes })
  let made: Promise<Pool> | undefined
  async function connect(): Promise<Pool> {
    const pool = new Pool({ ...(await connection()), max: 2 })
    pool.on('error', () => {}) // whoever asks next is told
    return pool
  }
  async function query<Row extends object>(sql: string, values: readonly Value[]): Promise<Row[]> {
    made ??= connect()
    let count = 0
    const text = sql.replaceAll('?', () => `$${++count}`)
    return (await (await made).query<Row>(text, [...values])).rows
  }
  return {
    rows: (sql, ...values) => query(sql, values),
    one: async (sql, ...values) => first((await query<object>(sql, values))[0]),
    async judge() {
      await query('CREATE EXTENSION IF NOT EXISTS amcheck', [])
      await query(checkIndexes, [])
      return 'ok'
    },
    async change(sql, ...values) {
      await query(sql, values)
    },
    async lock() {
      const client = new Client(await connection())
      await client.connect()
      const end = () => client.end()
      try {
        await client.query('BEGIN; LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE NOWAIT')
      } catch (error) {
        await end()
        throw error
      }
      return { [Symbol.asyncDispose]: end }
    },
    async [Symbol.asyncDispose]() {
      await (await made)?.end()
    },
  }
}
