import { Pool } from 'pg'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { ask, createDatabase, type TestDatabase } from './postgres.ts'

// Making a database takes some 80 ms, emptying one a tenth of it: a test gives its own back.

/** An empty database with all tables, of which databases are made. */
interface Template {
  readonly name: string
  /** Empties a copy. */
  readonly emptying: string
}

/** A database, and who empties it: a connection that knows all of its tables does so in a quarter of the time. */
interface Lent extends TestDatabase {
  empty(text: string): Promise<unknown>
}

let template: Promise<Template> | undefined
const spare: Lent[] = []

async function makeLent(template: string): Promise<Lent> {
  const database = await createDatabase(template)
  const options = { max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true }
  const pool = new Pool({ connectionString: database.url, ...options })
  pool.on('error', () => {}) // a test has ended all connections
  return {
    ...database,
    // The end of its connection may not have been read yet.
    empty: (text) => pool.query(text).catch(() => pool.query(text)),
  }
}

/**
 * What a connection was asked last goes on behind its end, and would come after the emptying. The server's own wait
 * for an end looks ten times a second.
 */
const endOthers = `DO $$ BEGIN
  FOR round IN 1..1000 LOOP
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
    EXIT WHEN NOT FOUND;
    PERFORM pg_sleep(0.005), pg_stat_clear_snapshot();
  END LOOP;
END $$;`

/** Statements which leave a database as its template is; nobody is told of what they remove. */
async function writeEmptying(url: string): Promise<string> {
  const names = (kind: 'r' | 'S') =>
    ask<{ name: string }>(
      url,
      `SELECT format('%I', relname) AS name FROM pg_class WHERE relkind = '${kind}'
         AND relnamespace = current_schema()::regnamespace AND relname <> 'schema_version'`,
    )
  const tables = (await names('r')).map(({ name }) => `DELETE FROM ${name};`)
  const counters = (await names('S')).map(({ name }) => `SELECT setval('${name}', 1, false);`)
  const settings = "SET session_replication_role = replica; SET lock_timeout = '2s';"
  return [endOthers, settings, ...tables, ...counters].join('\n')
}

async function makeTemplate(): Promise<Template> {
  const { name, url } = await createDatabase()
  const store = await openPostgresStore({ url, clock: () => 0 })
  await store.close()
  return { name, emptying: await writeEmptying(url) }
}

/** Starts the server and makes the tables once, so that no test's time goes into it. */
export async function prepareDatabases(): Promise<void> {
  template ??= makeTemplate()
  await template
}

/**
 * A database with all tables, and nothing in them. Who has it ends all connections to it before it is
 * disposed of, and leaves the tables themselves as they are.
 */
export async function lendDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate()
  const { name, emptying } = await template
  const database = spare.pop() ?? (await makeLent(name))
  let isBack = false
  return {
    name: database.name,
    url: database.url,
    async [Symbol.asyncDispose]() {
      // A second time it may be somebody else's.
      if (isBack) return
      isBack = true
      await database.empty(emptying)
      spare.push(database)
    },
  }
}
