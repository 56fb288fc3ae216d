import { type Clock, utcDay } from '../../lib/clock.ts'
import type { TokenRecord } from '../ports/admin.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import type { Spent } from '../ports/records.ts'
import type { DocumentStore, ReadingStore, Store } from '../ports/store.ts'
import { StoreError } from '../ports/store-error.ts'
import { createNodeStore } from '../queries/nodes.ts'
import { createRecordReading } from '../queries/requests.ts'
import { createReading, createStores } from '../queries/store.ts'
import {
  createTokenHashes,
  type FoundToken,
  foundTokenColumns,
  toTokenRecord,
} from '../queries/tokens.ts'
import { sweepReservations } from '../schema/postgres-closing.ts'
import { partitionsAhead } from '../schema/postgres-partitions.ts'
import { sql } from '../schema/sql.ts'
import { createCommit } from './commit.ts'
import {
  type ConnectionOptions,
  type Connections,
  createConnections,
  type Settings,
} from './connections.ts'
import { createEngine, createPatience, type Patience } from './engine.ts'
import { explainFailure } from './failures.ts'
import { createLeaseSource, createRecallNews } from './leases.ts'
import { type Changes, createChanges, createDocumentStore } from './listener.ts'
import { createSource, listConnections, listSettings } from './lists.ts'
import { type MigrateOptions, migrate } from './migrate.ts'
import { createOverrunNews, type OverrunNews } from './overruns.ts'
import {
  createVerification,
  verificationConnections,
  verificationMs,
  verificationSettings,
} from './verification.ts'

export interface PostgresOptions extends ConnectionOptions, MigrateOptions {
  readonly clock: Clock
  /** How long work waits for an unavailable server; default 5,000. */
  readonly patienceMs?: number
}

export interface PostgresStore extends Store {
  readonly documents: DocumentStore
  roundTrips(): number
}

/** For the hot path: connections, and the longest time of a statement. */
const requestConnections = 6
const requestMs = 8_000
/** How long they wait for a lock: no longer than for a locked file. */
const lockMs = 5_000
/** A batch costs as much as some 15 requests: a transaction, a round trip, a synced log. */
const spacingMs = 5
/** How long a transaction may idle: shorter than `lockMs`, so that its waiters go on. */
const standstillMs = 3_000
const peopleConnections = 4
const peopleMs = 60_000

/** Ends what a dead node left: an idle transaction, a long statement. */
const endingBy = (statementMs: number): Settings => ({
  idle_in_transaction_session_timeout: standstillMs,
  statement_timeout: statementMs,
})

/** Opens a database, making or upgrading its tables. Throws `StoreError` with place and way out. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const news = { overruns: createOverrunNews(), recalls: createRecallNews() }
  const connections = createConnections({
    connections: requestConnections,
    answerTimeoutMs: requestMs,
    settings: { ...endingBy(requestMs), lock_timeout: lockMs },
    listening: [news.overruns, news.recalls.listening],
    ...options,
  })
  try {
    await migrateAlone(options)
    const changes = await createChanges(options, connections)
    return assemble(options, connections, changes, news)
  } catch (error) {
    await connections.close()
    throw explainFailure(error, connections.place)
  }
}

/** On its own connection: large tables take long. */
async function migrateAlone(options: PostgresOptions): Promise<void> {
  const migrating = createConnections({
    ...options,
    connections: 1,
    answerTimeoutMs: verificationMs,
  })
  try {
    await migrate(migrating, options)
  } finally {
    await migrating.close()
  }
}

interface News {
  readonly overruns: OverrunNews
  readonly recalls: ReturnType<typeof createRecallNews>
}

function assemble(
  options: PostgresOptions,
  connections: Connections,
  changes: Changes,
  { overruns, recalls }: News,
): PostgresStore {
  const { clock, patienceMs = 5_000 } = options
  const patiently = createPatience(connections, patienceMs)
  // All connections of a node have its name: it identifies the node's own changes.
  const { applicationName } = connections
  const working = createConnections({
    connections: peopleConnections,
    answerTimeoutMs: peopleMs,
    settings: { ...endingBy(peopleMs), jit: 'off' },
    asksFirst: true,
    ...options,
    applicationName,
  })
  const engine = createEngine(working, createPatience(working, patienceMs))
  const reading = createConnections({
    ...options,
    connections: listConnections,
    settings: listSettings,
    asksFirst: true,
  })
  const source = createSource(createEngine(reading, createPatience(reading, patienceMs)))
  const verifying = createConnections({
    ...options,
    connections: verificationConnections,
    settings: verificationSettings,
    answerTimeoutMs: verificationMs,
    asksFirst: true,
  })
  const soon = createEngine(connections, patiently)
  /** By the clock of the database, for those of nodes may differ. */
  const now = () => sql<number>`now_ms()`
  let nodeId: number | undefined
  let closing: Promise<void> | undefined

  async function sweep(): Promise<number> {
    await patiently(() => connections.query({ text: `SELECT ${partitionsAhead}` }))
    const text = `SELECT ${sweepReservations}($1) AS interrupted`
    const { rows } = await patiently(() => connections.query({ text, values: [silentNodeMs] }))
    return Number(rows[0]?.interrupted)
  }

  const { nodes, leases } = createLeaseSource(
    createNodeStore(soon, now, sweep, (id) => {
      nodeId = id
    }),
    { engine: soon, clock, onRecall: recalls.onRecall },
  )

  async function close(): Promise<void> {
    await changes.close()
    const all = [connections, working, reading, verifying]
    await Promise.all(all.map((one) => one.close()))
  }

  return {
    place: { url: options.url },
    ...createStores(engine, soon, source, clock, now),
    tokens: {
      findByHash: createTokenLookup(connections, patiently, clock),
      ...createTokenHashes(engine),
    },
    records: {
      isShared: true,
      spacingMs,
      onOverrun: overruns.onOverrun,
      leases,
      ...createRecordReading(engine),
      commit: createCommit(connections, patiently, clock, () => nodeId),
      sweep,
    },
    verification: createVerification(verifying, createPatience(verifying, patienceMs)),
    nodes,
    documents: createDocumentStore(changes.onListener),
    changedElsewhere: changes.since,
    async check() {
      const text = "SELECT current_setting('transaction_read_only') AS value"
      const { rows } = await patiently(() => connections.query({ text }))
      if (rows[0]?.value === 'off') return
      throw new StoreError(
        `The database ${connections.place} takes no writing (it is a standby, or set to read only): ` +
          'name the primary server.',
      )
    },
    // Any number of nodes may serve: each registers itself.
    claimServing: async () => true,
    roundTrips: () => connections.roundTrips() + working.roundTrips(),
    close() {
      closing ??= close()
      return closing
    },
  }
}

const patienceMs = 5_000

/** For a process that only reads; makes no connection yet. */
export function openPostgresReading({ url }: { url: string }, clock: Clock): ReadingStore {
  const connections = createConnections({
    ...{ url, settings: listSettings },
    // One more than lists take: a receipt waits for none of them.
    connections: listConnections + 1,
  })
  const engine = createEngine(connections, createPatience(connections, patienceMs))
  return {
    ...createReading(engine, createSource(engine), clock),
    close: connections.close,
  }
}

/** With what was spent, where there is a budget: in all, on a day, and in its month. */
const findByHash = `SELECT ${foundTokenColumns}, coalesce(kept.total_nano, spent.total) AS "totalNano",
  coalesce(kept.day_nano, spent.day) AS "dayNano",
  coalesce(kept.month_nano, spent.month) AS "monthNano"
FROM token JOIN account ON account.id = token.account_id
LEFT JOIN token_spending AS kept ON kept.token_id = token.id AND kept.day = $2
CROSS JOIN LATERAL (
  SELECT coalesce(sum(amount_nano), 0) AS total,
    coalesce(sum(amount_nano) FILTER (WHERE day = $2), 0) AS day,
    coalesce(sum(amount_nano) FILTER (WHERE left(day, 7) = left($2, 7)), 0) AS month
  FROM usage_day WHERE token_id = token.id AND kept.token_id IS NULL
    AND coalesce(budget_total_nano, budget_day_nano, budget_month_nano) IS NOT NULL
) AS spent
WHERE token.key_hash = $1 ORDER BY token.id DESC LIMIT 1`

type Found = FoundToken & Omit<Spent, 'day'>

/** The hot path's reading: one prepared statement. Of several rows of a key, the newest counts. */
export function createTokenLookup(connections: Connections, patiently: Patience, clock: Clock) {
  return async (keyHash: string): Promise<TokenRecord | undefined> => {
    const today = utcDay(clock())
    const statement = { text: findByHash, values: [keyHash, today], name: 'find_token' }
    const { rows } = await patiently(() => connections.query(statement))
    const found = rows[0] as unknown as Found | undefined
    if (found === undefined) return undefined
    const { totalNano, dayNano, monthNano, ...row } = found
    return toTokenRecord(row, () => ({ totalNano, dayNano, monthNano, day: today }))
  }
}
