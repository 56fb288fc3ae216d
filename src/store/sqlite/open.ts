import type { Database } from 'bun:sqlite'
import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../ports/store.ts'
import { createAdminStore, createEdits } from '../queries/admin.ts'
import { createAnswerStore } from '../queries/answers.ts'
import { createAttemptStore } from '../queries/attempts.ts'
import { createAvailabilityStore } from '../queries/availability.ts'
import { createCatalogStore } from '../queries/catalog.ts'
import { createHealthStore } from '../queries/channels.ts'
import { createNodeStore } from '../queries/nodes.ts'
import { createRecordReading } from '../queries/requests.ts'
import { createResponseStore } from '../queries/responses.ts'
import { createSignInStore } from '../queries/sign-in/sign-in.ts'
import { createTokenHashes } from '../queries/tokens.ts'
import { createCheckpointer } from './checkpointer.ts'
import { createClaim } from './claim.ts'
import { createCommit } from './commit.ts'
import { createEngine } from './engine.ts'
import { explained } from './failures.ts'
import { createReader } from './lists/reader.ts'
import { createListStore } from './lists/store.ts'
import { migrate } from './migrate.ts'
import { type FileOptions, openFile } from './open-file.ts'
import { createStoreFile } from './store-file.ts'
import { createSweep } from './sweep.ts'
import { createTokenLookup } from './tokens.ts'
import { createVerification } from './verification/verification.ts'
import { createWatch } from './watch.ts'

export interface SqliteOptions extends FileOptions {
  readonly clock: Clock
  /** Refuses a database of a former version, which else is brought up to date. */
  readonly toStay?: boolean
}

function openDatabase(options: SqliteOptions): Database {
  const db = openFile(options)
  try {
    migrate(db, options.path, options)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens (and creates or updates) a database. Throws `StoreError`, which names the path and the way
 * out. One process may have it open as a server; commands may open it beside.
 */
export function openSqliteStore(options: SqliteOptions): Store {
  const { path, clock } = options
  const db = explained(path, () => openDatabase(options))
  const watch = path === ':memory:' ? undefined : createWatch(db, path)
  const engine = createEngine(db, path, watch)
  const findByHash = createTokenLookup(db, clock)
  const sweep = createSweep(db)
  const serving = createClaim(path)
  const checkpointer = createCheckpointer(path)
  const reader = createReader(db)
  const dataVersion = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  // Reads the database itself, not only this connection's own state.
  const schemaVersion = db.prepare('PRAGMA schema_version')
  const now = () => sql<number>`${clock()}`
  const readVersion = () => dataVersion.get()?.data_version
  const access = async <Result>(work: () => Result): Promise<Result> => {
    watch?.require()
    return explained(path, work)
  }
  let seenVersion = readVersion()
  let isOpen = true

  return {
    ...(watch && { place: { path }, file: createStoreFile(db, path, watch) }),
    tokens: {
      findByHash: (keyHash) => access(() => findByHash(keyHash)),
      ...createTokenHashes(engine),
    },
    catalog: createCatalogStore(engine),
    records: {
      isShared: false,
      ...createRecordReading(engine),
      commit: createCommit(db, clock, checkpointer, watch),
      sweep: () => access(sweep),
    },
    admin: createAdminStore({ engine, clock }),
    edits: createEdits({ engine, clock }),
    verification: createVerification(db, path, engine),
    health: createHealthStore(engine),
    lists: createListStore({ reader, clock }),
    attempts: createAttemptStore(engine),
    answers: createAnswerStore({ engine, now }),
    responses: createResponseStore({ engine, now }),
    availability: createAvailabilityStore(engine),
    signIn: createSignInStore({ engine, clock }),
    nodes: createNodeStore({
      engine,
      now,
      sweep: async () => 0,
      onRegistered() {},
    }),
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
      await Promise.all([reader.close(), checkpointer.close()])
      serving.release()
      // Closing removes the journal by its name, which may be another one's by now.
      if (watch?.look() === undefined) db.close(true)
    },
  }
}
