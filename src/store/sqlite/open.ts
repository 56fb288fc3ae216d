import { Database } from 'bun:sqlite'
import type { Purse } from '../../leases/purse.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { TokenRecord } from '../ports/admin.ts'
import type { LeaseSource, RecordStore } from '../ports/records.ts'
import type { ReadingStore, Store } from '../ports/store.ts'
import { createNodeStore } from '../queries/nodes.ts'
import { createRecordReading } from '../queries/requests.ts'
import { createReading, createStores } from '../queries/store.ts'
import {
  createTokenHashes,
  type FoundToken,
  foundTokenColumns,
  toTokenRecord,
} from '../queries/tokens.ts'
import { sql } from '../schema/sql.ts'
import { createCheckpointer } from './checkpointer.ts'
import { createCommit } from './commit.ts'
import { createEngine, createSource } from './engine.ts'
import {
  createAccess,
  createClaim,
  explained,
  type FileOptions,
  openFile,
  prepared,
} from './file.ts'
import { migrate } from './migrate.ts'
import { createSpending } from './sums.ts'
import { createSweep } from './sweep.ts'
import { createVerification } from './verification.ts'
import { createStoreFile, createWatch } from './watch.ts'

interface SqliteOptions extends FileOptions {
  readonly clock: Clock
  /** Refuses a database of a former version, which else is brought up to date. */
  readonly toStay?: boolean
}

/** Opens, creates or updates a database. Throws `StoreError` with the path and the way out. */
export function openSqliteStore(options: SqliteOptions): Store {
  const { path, clock } = options
  const db = explained(path, () => {
    const opened = openFile(options)
    return prepared(opened, () => migrate(opened, path, options))
  })
  const watch = path === ':memory:' ? undefined : createWatch(db, path)
  const access = createAccess(db, watch)
  const engine = createEngine(db, access)
  const findByHash = createTokenLookup(db, clock)
  const sweep = createSweep(db)
  const serving = createClaim(path)
  const checkpointer = createCheckpointer(path)
  const dataVersion = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  // Reads the database itself, not only this connection's own state.
  const schemaVersion = db.prepare('PRAGMA schema_version')
  const now = () => sql<number>`${clock()}`
  const readVersion = () => dataVersion.get()?.data_version
  let seenVersion = readVersion()
  let isOpen = true
  const { commit, onRecall } = withRecalls(createCommit(db, clock, checkpointer, access))

  return {
    ...(watch && { place: { path }, file: createStoreFile(db, path, watch, access) }),
    ...createStores(engine, engine, createSource(engine), clock, now),
    tokens: {
      findByHash: (keyHash) => access(() => findByHash(keyHash)),
      ...createTokenHashes(engine),
    },
    records: {
      isShared: false,
      ...createRecordReading(engine),
      commit,
      leases: { mayBegin: () => true, onRecall, onLost() {} },
      sweep: (held) => access(() => sweep(held)),
    },
    verification: createVerification(db, path, engine),
    nodes: createNodeStore(engine, now, async () => 0),
    changedElsewhere: () =>
      access(() => {
        const version = readVersion()
        const changed = version !== seenVersion
        seenVersion = version
        return changed ? 'all' : false
      }),
    check: () =>
      access(() => {
        schemaVersion.get()
      }),
    claimServing: () => access(serving.claim),
    async close() {
      if (!isOpen) return
      isOpen = false
      await checkpointer.close()
      serving.release()
      // Closing removes the journal by its name, which may be another one's by now.
      if (watch?.look() === undefined) db.close(true)
    },
  }
}

type Commit = RecordStore['commit']

/** This process alone has leases: it hears of what it asks back itself. */
function withRecalls(commit: Commit): Pick<LeaseSource, 'onRecall'> & { readonly commit: Commit } {
  let notify: (purses: readonly Purse[]) => void = () => {}
  return {
    async commit(batch) {
      const committed = await commit(batch)
      const { recalled = [] } = committed
      if (recalled.length > 0) notify(recalled)
      return committed
    },
    onRecall(listener) {
      notify = listener
    },
  }
}

/** How long to wait for another process that locks the whole file, which is rare. */
const busyTimeoutMs = 5_000

/** Opens a file for a process that only reads. Throws `StoreError`. */
export function openSqliteReading({ path }: { path: string }, clock: Clock): ReadingStore {
  const db = explained(path, () => openToRead(path))
  const engine = createEngine(db, createAccess(db))
  return {
    ...createReading(engine, createSource(engine), clock),
    async close() {
      db.close()
    },
  }
}

function openToRead(path: string): Database {
  // A reader writes to the index of the WAL, so the connection can't be read-only.
  const db = new Database(path, { readwrite: true, strict: true })
  return prepared(db, () => {
    db.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    db.run('PRAGMA query_only = ON')
    db.run('PRAGMA cache_size = -16000')
  })
}

const findByHash = `SELECT ${foundTokenColumns}
FROM token JOIN account ON account.id = token.account_id
WHERE token.key_hash = ? ORDER BY token.id DESC LIMIT 1`

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
function createTokenLookup(
  db: Database,
  clock: Clock,
): (keyHash: string) => TokenRecord | undefined {
  const spending = createSpending(db)
  const statement = db.prepare<FoundToken, [string]>(findByHash)
  const spentOf = (tokenId: number) => spending(tokenId, utcDay(clock()))
  return (keyHash) => {
    const row = statement.get(keyHash)
    return row === null ? undefined : toTokenRecord(row, spentOf)
  }
}
