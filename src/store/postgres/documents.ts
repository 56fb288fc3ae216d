import type { Client } from 'pg'
import type { DocumentStore } from '../ports/store.ts'
import type { Changes } from './changes.ts'

/** Number of the advisory lock of the node that builds. */
const leaderLock = 7_465_002

interface DocumentRow {
  readonly body: Uint8Array
  readonly gzip: Uint8Array
  readonly lastModifiedMs: number
}

const documentColumns = 'body, gzip, last_modified AS "lastModifiedMs"'

/** Documents in the database. Who holds a lock on the listening connection builds them. */
export function createDocumentStore(onListener: Changes['onListener']): DocumentStore {
  let leading: Client | undefined
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
    lastModifiedMs: (name) =>
      onListener(async (client) => {
        const text = 'SELECT last_modified AS ms FROM document WHERE name = $1'
        return (await client.query<{ ms: number }>(text, [name])).rows[0]?.ms
      }),
    read: (name) =>
      onListener(async (client) => {
        const text = `SELECT ${documentColumns} FROM document WHERE name = $1`
        return (await client.query<DocumentRow>(text, [name])).rows[0]
      }),
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
