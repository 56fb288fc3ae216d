import { sql } from 'kysely'
import { dayColumns, type VerificationStore } from '../../ports/verification.ts'
import type { DayWords } from '../../queries/verification/days.ts'
import { createVerification as verificationOf } from '../../queries/verification/verification.ts'
import type { Connections } from '../connections.ts'
import { createEngine } from '../engine.ts'
import type { Patience } from '../patience.ts'
import type { Settings } from '../settings.ts'
import { readReferenceFaults } from './references.ts'
import { readServerFaults } from './server.ts'
import { openSession } from './session.ts'
import { readOddSpendings } from './spendings.ts'

/** One for what is read at once, one for the sums of days. */
export const verificationConnections = 2

/** A verification may take long; work that is compiled first costs more than its short statements. */
export const verificationSettings: Settings = { jit: 'off' }
/** Longest time of one statement. */
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
