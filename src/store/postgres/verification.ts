import {
  dayColumns,
  type FileFault,
  type OddSpending,
  type Page,
  type VerificationStore,
} from '../ports/verification.ts'
import { all, first, inPages, pause, type Steps } from '../queries/steps.ts'
import type { DayWords } from '../queries/verification/days.ts'
import {
  type Reading,
  createVerification as verificationOf,
} from '../queries/verification/verification.ts'
import { attemptFields, parentsOf, requestFields, reservationFields } from '../schema/columns.ts'
import { tokenOf } from '../schema/lease.ts'
import { sql } from '../schema/sql.ts'
import type { Connections, Settings } from './connections.ts'
import { createEngine, follow, hold, type Patience } from './engine.ts'

/** One for pages, one for the sums of days. */
export const verificationConnections = 2

/** A verification may take long; compiling its short statements would cost more than they do. */
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

/** What `verify` reads of a PostgreSQL database, by its own connections. */
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
    async *oddSpendings() {
      yield* inPages(await reading.read(() => all(selectOdd)))
    },
  })
}

/** What rows name without a constraint, but for attempts: `readOddAttempts` checks these. */
export const references = [
  { table: 'request', keys: ['id'], columns: parentsOf(requestFields) },
  { table: 'attempt', keys: ['request_row', 'position'], columns: parentsOf(attemptFields) },
  { table: 'reservation', keys: ['request_id'], columns: parentsOf(reservationFields) },
  { table: 'ledger', keys: ['id'], columns: { account_id: 'account' } },
  { table: 'usage_day', keys: ['token_id', 'day', 'model'], columns: { token_id: 'token' } },
] as const

/** Reports at most this many rows for each column. */
const maxRows = 1_000

async function* readReferenceFaults({ read }: Reading): AsyncGenerator<Page<FileFault>> {
  for (const { table, keys, columns } of references) {
    for (const [column, parent] of Object.entries<string>(columns)) {
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
      SELECT ${row} AS "row", CAST(${value} AS text) AS value FROM ${sql.ref(table)} AS child
      WHERE ${value} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${sql.ref(parent)} AS parent WHERE parent.id = ${value})
      LIMIT ${sql.lit(maxRows)}`,
  )
}

// Sums as floating point never overflow, whatever a row holds.
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
    SELECT token_id, sum(amount_nano::double precision) AS nano FROM (
      SELECT token_id, amount_nano FROM reservation
      UNION ALL SELECT ${sql.raw(tokenOf('purse'))}, amount_nano FROM lease
    ) AS parts GROUP BY token_id
  ) AS held ON held.token_id = kept.token_id
) AS sums WHERE stored <> summed ORDER BY "tokenId"`

/** One connection that sees one state from beginning to end, and has temporary tables. */
async function openSession(connections: Connections): Promise<Reading & AsyncDisposable> {
  const held = await hold(connections, 'BEGIN ISOLATION LEVEL REPEATABLE READ')
  const read: Reading['read'] = (steps) => follow(held, steps())
  return {
    read,
    snapshot: read,
    async [Symbol.asyncDispose]() {
      // The server rolls back when the connection is lost.
      await held.query({ text: 'ROLLBACK' }).catch(() => undefined)
      await held.release()
    },
  }
}

interface Abilities {
  readonly checksums: string
  readonly isInstalled: boolean
  readonly isAllowed: boolean
}

const selectAbilities = sql<Abilities>`
SELECT current_setting('data_checksums') AS checksums, amcheck.oid IS NOT NULL AS "isInstalled",
  coalesce(has_function_privilege(verify.oid, 'EXECUTE'), false) AS "isAllowed"
FROM (SELECT 1) AS one
LEFT JOIN pg_extension AS amcheck ON amcheck.extname = 'amcheck'
LEFT JOIN pg_proc AS verify ON verify.proname = 'verify_heapam'`

interface Relation {
  readonly id: number
  readonly name: string
  readonly kind: string
}

const ofTables = sql`pg_class.relnamespace = current_schema()::regnamespace AND relpersistence = 'p'`

const selectTables = sql<Relation>`
SELECT pg_class.oid::bigint AS id, relname AS name, 'table' AS kind FROM pg_class
WHERE relkind = 'r' AND ${ofTables} ORDER BY relname`

const selectIndexes = sql<Relation & { readonly isValid: boolean }>`
SELECT pg_class.oid::bigint AS id, relname AS name, 'index' AS kind, indisvalid AS "isValid"
FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid JOIN pg_am ON pg_am.oid = relam
WHERE amname = 'btree' AND relkind = 'i' AND ${ofTables} ORDER BY relname`

const selectUnproven = sql<{ name: string; table: string }>`
SELECT conname AS name, conrelid::regclass::text AS table FROM pg_constraint
WHERE NOT convalidated AND connamespace = current_schema()::regnamespace`

/** Installs no extension: that is the server administrator's decision. */
const ways = {
  checksums:
    'the server keeps no checksums of its pages, so changed bytes go unnoticed that make another value: ' +
    'stop it and run "pg_checksums --enable"',
  missing:
    'tables and indexes were not compared page by page: "CREATE EXTENSION amcheck" makes it possible',
  denied:
    'tables and indexes were not compared page by page: grant this role EXECUTE on verify_heapam and bt_index_check',
}

/** Checks all pages with PostgreSQL's own means; reports those that are missing. */
async function* readServerFaults({ read }: Reading): AsyncGenerator<Page<FileFault>> {
  const page = (...rows: FileFault[]): Page<FileFault> => ({ rows, looked: 0 })
  for (const { name, table } of await read(() => all(selectUnproven))) {
    const text = `the constraint ${name} was never validated`
    yield page({ kind: 'forbidden', table, text })
  }
  const indexes = await read(() => all(selectIndexes))
  for (const { name } of indexes.filter(({ isValid }) => !isValid)) {
    yield page({ kind: 'damage', table: name, text: 'the index is not valid: REINDEX it' })
  }
  const valid = indexes.filter(({ isValid }) => isValid)
  const able = await read(() => first(selectAbilities))
  if (able?.checksums !== 'on') yield page({ kind: 'unchecked', text: ways.checksums })
  if (!able?.isInstalled) return yield page({ kind: 'unchecked', text: ways.missing })
  if (!able.isAllowed) return yield page({ kind: 'unchecked', text: ways.denied })
  for (const relation of [...(await read(() => all(selectTables))), ...valid]) {
    yield page(...(await checkRelation({ read }, relation)))
    await pause()
  }
}

/** Codes of the server: `data_corrupted` and `index_corrupted`. */
const corrupted = /\bXX00[12]\b/

/** Of a table amcheck returns faults, of an index it throws them. */
async function checkRelation({ read }: Pick<Reading, 'read'>, { id, name, kind }: Relation) {
  const damage = (text: string): FileFault => ({ kind: 'damage', table: name, text })
  try {
    if (kind === 'index') {
      await read(() => all(sql`SELECT bt_index_check(${id}::bigint::oid::regclass, true)`))
      return []
    }
    const found = await read(() =>
      all(sql<{ block: number; text: string }>`
        SELECT blkno AS block, msg AS text FROM verify_heapam(${id}::bigint::oid::regclass) LIMIT 100`),
    )
    return found.map(({ block, text }) => damage(`page ${block}: ${text}`))
  } catch (error) {
    const text = String(error)
    if (!corrupted.test(text)) throw error
    return [damage(text)]
  }
}
