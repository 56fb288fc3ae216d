import { Client, types } from 'pg'
import type { Rows } from '../world.ts'
import { prepareServer, type Server, standbyName } from './server.ts'

/** A primary with a standby that has everything before it is acknowledged. */
export interface Database extends AsyncDisposable {
  primary(): Server
  standby(): Server
  /** Reads of the primary by a connection of its own; whole numbers come as bigint. */
  readonly rows: Rows
  /** The standby has taken up what the primary says, and acknowledges it. */
  isInStep(): Promise<boolean>
  /**
   * The standby becomes the primary; the old one must have been stopped, or be unreachable. Waits for no
   * standby until `follow` when `waits` is false.
   */
  promote(waits: boolean): Promise<void>
  /** Makes the standby anew from the primary, and waits for it. */
  follow(): Promise<void>
}

const patienceMs = 30_000
const name = 'tollgate'

const numbers = {
  getTypeParser: (type: number) =>
    type === types.builtins.INT8 || type === types.builtins.INT4 || type === types.builtins.INT2
      ? BigInt
      : (text: string) =>
          type === types.builtins.NUMERIC && !text.includes('.') ? BigInt(text) : text,
}

/** Asks one statement. Throws when it is not answered within 5 s. */
async function ask(url: string, sql: string) {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
    types: numbers as never,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end()
  }
}

/** Makes both, and in them an empty database. */
export async function startDatabase(): Promise<Database> {
  let [primary, standby] = [await prepareServer(), await prepareServer()]
  const administer = (sql: string) => ask(primary.url('postgres'), sql)

  async function wait(isOn: boolean): Promise<void> {
    await administer(`ALTER SYSTEM SET synchronous_standby_names = '${isOn ? standbyName : ''}'`)
    await administer('SELECT pg_reload_conf()')
  }

  const database: Database = {
    primary: () => primary,
    standby: () => standby,
    rows: (sql) => ask(primary.url(name), sql),
    async isInStep() {
      const sql = "SELECT 1 AS one FROM pg_stat_replication WHERE sync_state = 'sync'"
      return (await administer(sql).catch(() => [])).length > 0
    },
    async promote(waits) {
      ;[primary, standby] = [standby, primary]
      // It does not wait for its own promotion to be heard of.
      await administer('SELECT pg_promote(true, 30)')
      await wait(waits)
    },
    async follow() {
      await standby.stop('killed')
      standby.copy(primary)
      await standby.start()
      await wait(true)
      for (const latest = performance.now() + patienceMs; !(await database.isInStep()); ) {
        if (performance.now() > latest) throw new Error('The standby does not follow in time.')
        await Bun.sleep(50)
      }
    },
    async [Symbol.asyncDispose]() {
      await standby[Symbol.asyncDispose]()
      await primary[Symbol.asyncDispose]()
    },
  }
  primary.make()
  await primary.start()
  await administer(`CREATE DATABASE ${name}`)
  await database.follow()
  return database
}
