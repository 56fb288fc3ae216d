import type { Extent, OddSpending, Page, VerificationStore } from '../../ports/verification.ts'
import { sql } from '../../schema/sql.ts'
import { type Engine, first } from '../steps.ts'
import { type DayWords, readOddDays } from './days.ts'
import {
  countOthers,
  findPrice,
  findUses,
  readEntries,
  readLeftReservations,
  readOddAttempts,
  readOddBackground,
  readOddBalances,
  readOddReserved,
  readRequests,
} from './records.ts'

export type Reading = Pick<Engine, 'read' | 'snapshot'>

export interface VerificationParts {
  readonly reading: Reading
  /** Statements on one connection, which has temporary tables. */
  readonly session: () => Promise<Reading & AsyncDisposable>
  readonly words: DayWords
  readonly checkFile: VerificationStore['checkFile']
  readonly checkSoon: VerificationStore['checkSoon']
  readonly oddSpendings: () => AsyncIterable<Page<OddSpending>>
}

/**
 * Reading for `verify`, a snapshot for each page: what is written together is compared within one
 * statement or transaction, and rows of requests, attempts and the ledger never change.
 */
export function createVerification(parts: VerificationParts): VerificationStore {
  const { reading } = parts
  return {
    checkFile: parts.checkFile,
    checkSoon: parts.checkSoon,
    extent: (since) => findExtent(reading, since),
    requests: (extent) => readRequests(reading, extent),
    entries: (extent) => readEntries(reading, extent),
    oddAttempts: (extent) => readOddAttempts(reading, extent),
    oddDays: (extent) => readOddDays(parts, extent),
    oddBalances: (extent) => readOddBalances(reading, extent),
    oddReserved: () => readOddReserved(reading),
    oddSpendings: parts.oddSpendings,
    leftReservations: () => readLeftReservations(reading),
    oddBackground: (extent) => readOddBackground(reading, extent),
    price: (id) => findPrice(reading, id),
    usesAround: (price) => findUses(reading, price),
    counts: () => countOthers(reading),
  }
}

/** An empty extent begins behind its end. */
async function findExtent(reading: Reading, since: number | undefined): Promise<Extent> {
  const ids = async (table: string) => {
    const name = sql.raw(table)
    // In order of time: by number, all before the first would be read.
    const rows =
      since === undefined
        ? name
        : sql`(SELECT id FROM ${name} WHERE created_at >= ${since}
            ORDER BY created_at LIMIT ${sql.lit(Number.MAX_SAFE_INTEGER)}) AS later`
    const found = await reading.read(() =>
      first(
        sql<{ first: number | null; last: number | null }>`
          SELECT (SELECT min(id) FROM ${rows}) AS first, (SELECT max(id) FROM ${name}) AS last`,
      ),
    )
    const last = found?.last ?? 0
    return { first: found?.first ?? last + 1, last }
  }
  const [requests, entries] = [await ids('request'), await ids('ledger')]
  return {
    since,
    firstRequest: requests.first,
    lastRequest: requests.last,
    firstEntry: entries.first,
    lastEntry: entries.last,
  }
}
