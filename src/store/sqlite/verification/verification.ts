import type { Database } from 'bun:sqlite'
import { sql } from 'kysely'
import { dayColumns, type VerificationStore } from '../../ports/verification.ts'
import type { Engine } from '../../queries/steps.ts'
import type { DayWords } from '../../queries/verification/days.ts'
import { createVerification as verificationOf } from '../../queries/verification/verification.ts'
import { explainFailure } from '../failures.ts'
import { checkSoon } from './check-soon.ts'
import { readFileFaults } from './file.ts'

const words: DayWords = {
  createTable: sql.raw(
    `CREATE TEMP TABLE summed_day (token_id INTEGER, day TEXT, model TEXT, ${dayColumns.join(', ')},
      PRIMARY KEY (token_id, day, model)) WITHOUT ROWID`,
  ),
  dayOf: (ms) => sql`strftime('%Y-%m-%d', ${ms} / 1000, 'unixepoch')`,
}

/** What `verify` reads of a SQLite database: it has one connection, and its file is checked, too. */
export const createVerification = (db: Database, path: string, engine: Engine): VerificationStore =>
  verificationOf({
    reading: engine,
    session: async () => ({ ...engine, [Symbol.asyncDispose]: async () => {} }),
    words,
    checkFile: (isDeep) => explainedRows(path, readFileFaults(db, isDeep)),
    checkSoon: (signal) => checkSoon(path, signal),
    async *oddSpendings() {},
  })

async function* explainedRows<Row>(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows
  } catch (error) {
    throw explainFailure(error, path)
  }
}
