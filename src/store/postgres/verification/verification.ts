import { sql } from 'kysely'
import {
  dayColumns,
  type FileFault,
  type OddSpending,
  type Page,
  type VerificationStore,
} from '../../ports/verification.ts'
import { all, inPages, pause, type Steps } from '../../queries/steps.ts'
import type { DayWords } from '../../queries/verification/days.ts'
import {
  type Reading,
  createVerification as verificationOf,
} from '../../queries/verification/verification.ts'
import type { Connection, Connections, Settings } from '../connections.ts'
import { createEngine, follow, type Patience } from '../engine.ts'
import { explainFailure } from '../failures.ts'
import { readServerFaults } from './server.ts'

/** One for what is read at once, one for the sums of days. */
export const verificationConnections = 2

/** A verification may take long; work that is compiled first costs more than its short statements. */
export const verificationSettings: Settings = { jit: 'off' }
export const verificationMs = 3_600_000

const text = 'text COLLATE "C"'
const words: DayWords = {
  createTable: sql.raw(
    `CREATE TEMP TABLE summed_day (token_id bigint, day ${text}, model ${text},
      ${dayColumns.map((column) => `${column} double precision`).join(', ')},
      PRIMARY KEY (token_id, day, model))`,
  ),
  dayOf: (ms) => sql`utc_day(${ms})`,
}

/** What `verify` reads of a PostgreSQL database, by connections that nobody else uses. */
export function createVerification(
  connections: Connections,
  patiently: Patience,
): VerificationStore {
  const reading = createEngine(connections, patiently)
  return verificationOf({
    reading,
    session: () => openSession(connections),
    words,
    async *checkFile(isDeep) {
      yield* readReferenceFaults(reading)
      if (isDeep) yield* readServerFaults(reading)
    },
    checkSoon: async () => [],
    oddSpendings: () => readOddSpendings(reading),
  })
}

type Columns = Readonly<Record<string, string>>

const owners: Columns = { account_id: 'account', token_id: 'token', group_id: 'group' }

/** What rows name without a constraint, but for attempts: `readOddAttempts` looks at these. */
export const references: readonly {
  readonly table: string
  readonly keys: readonly string[]
  readonly columns: Columns
}[] = [
  {
    table: 'request',
    keys: ['id'],
    columns: { ...owners, channel_id: 'channel', price_id: 'model_price' },
  },
  { table: 'attempt', keys: ['request_row', 'position'], columns: { channel_id: 'channel' } },
  {
    table: 'reservation',
    keys: ['request_id'],
    columns: { ...owners, price_id: 'model_price' },
  },
  { table: 'ledger', keys: ['id'], columns: { account_id: 'account' } },
  { table: 'usage_day', keys: ['token_id', 'day', 'model'], columns: { token_id: 'token' } },
]

/** Most rows that are told of for each column: where so many are wrong, more of them tell no more. */
const maxRows = 1_000

async function* readReferenceFaults({ read }: Reading): AsyncGenerator<Page<FileFault>> {
  for (const { table, keys, columns } of references) {
    for (const [column, parent] of Object.entries(columns)) {
      const found = await read(() => selectDangling(table, keys, column, parent))
      for (const { rows } of inPages(found)) {
        const faults = rows.map(
          (one) => ({ kind: 'dangling', table, column, parent, ...one }) as const,
        )
        yield { rows: faults, looked: 0 }
      }
      yield { rows: [], looked: 0 }
      await pause()
    }
  }
}

function selectDangling(
  table: string,
  keys: readonly string[],
  column: string,
  parent: string,
): Steps<readonly { readonly row: string; readonly value: string }[]> {
  const row = sql.join(
    keys.map((key) => sql`${sql.lit(`${key} `)} || child.${sql.ref(key)}`),
    sql` || ', ' || `,
  )
  const value = sql`child.${sql.ref(column)}`
  return all(
    sql<{ row: string; value: string }>`
      SELECT ${row} AS "row", CAST(${value} AS text) AS value FROM ${sql.table(table)} AS child
      WHERE ${value} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${sql.table(parent)} AS parent WHERE parent.id = ${value})
      LIMIT ${sql.lit(maxRows)}`,
  )
}

// Sums as floating point never overflow, whatever somebody has written into a row.
const spentOf = sql.raw(`
  SELECT coalesce(sum(nano), 0) AS total,
    coalesce(sum(nano) FILTER (WHERE left(day, 7) = left(kept.day, 7)), 0) AS month,
    coalesce(sum(nano) FILTER (WHERE day = kept.day), 0) AS of_day
  FROM (SELECT day, amount_nano::double precision AS nano FROM usage_day
    WHERE usage_day.token_id = kept.token_id) AS days`)

const selectOdd = sql<OddSpending>`
SELECT * FROM (
  SELECT kept.token_id AS "tokenId", kept.day,
    ARRAY[kept.total_nano, kept.month_nano, kept.day_nano, kept.reserved_nano]::double precision[] AS stored,
    ARRAY[spent.total, spent.month, spent.of_day, coalesce(held.nano, 0)] AS summed
  FROM token_spending AS kept CROSS JOIN LATERAL (${spentOf}) AS spent
  LEFT JOIN (
    SELECT token_id, sum(amount_nano::double precision) AS nano FROM reservation GROUP BY token_id
  ) AS held ON held.token_id = kept.token_id
) AS sums WHERE stored <> summed ORDER BY "tokenId"`

async function* readOddSpendings({ read }: Reading): AsyncGenerator<Page<OddSpending>> {
  yield* inPages(await read(() => all(selectOdd)))
}

/** One connection that sees one state from beginning to end, and has temporary tables. */
async function openSession(connections: Connections): Promise<Reading & AsyncDisposable> {
  const { place } = connections
  const lent = Promise.withResolvers<Connection>()
  const ended = Promise.withResolvers<void>()
  const lending = connections.lend(async (connection) => {
    await connection.query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ' })
    lent.resolve(connection)
    await ended.promise
    // With a lost connection it is taken back by itself.
    await connection.query({ text: 'ROLLBACK' }).catch(() => undefined)
  })
  lending.catch(lent.reject)
  const connection = await lent.promise.catch((error: unknown) => {
    throw explainFailure(error, place)
  })
  const read: Reading['read'] = async (steps) => {
    try {
      return await follow(connection, steps())
    } catch (error) {
      throw explainFailure(error, place)
    }
  }
  return {
    read,
    snapshot: read,
    async [Symbol.asyncDispose]() {
      ended.resolve()
      await lending
    },
  }
}
