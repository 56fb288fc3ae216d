import type { Database } from 'bun:sqlite'
import type { Extent, VerificationStore } from '../../ports/verification.ts'
import { explained, explainFailure } from '../failures.ts'
import { readOddDays } from './days.ts'
import { readEntries, readOddBalances } from './entries.ts'
import { readFileFaults } from './file.ts'
import { findPrice, readRequests } from './requests.ts'
import { countOthers, readLeftReservations, readOddAttempts, readOddReserved } from './sums.ts'

/**
 * Reading for `verify`, beside a `serve` that goes on writing. A snapshot of the whole run would be
 * simple, but its journal could not be emptied all the while. It is not needed: a request with its
 * ledger entry, attempts, balance and sums is written in one transaction, and the rows of these
 * three tables never change again. So each page is a snapshot of its own, and whatever is compared
 * lies within one: a request and its entry in one statement, an account's last entry and its
 * balance in one statement, the daily sums and the requests up to then in one transaction.
 */
export function createVerification(db: Database, path: string): VerificationStore {
  const readable = <Row>(rows: AsyncIterable<Row>) => explainedRows(path, rows)
  const access = async <Result>(work: () => Result): Promise<Result> => explained(path, work)
  return {
    checkFile: () => readable(readFileFaults(db)),
    extent: (since) => access(() => findExtent(db, since)),
    requests: (extent) => readable(readRequests(db, extent)),
    entries: (extent) => readable(readEntries(db, extent)),
    oddAttempts: (extent) => readable(readOddAttempts(db, extent)),
    oddDays: (extent) => readable(readOddDays(db, extent)),
    oddBalances: (extent) => readable(readOddBalances(db, extent)),
    oddReserved: () => readable(readOddReserved(db)),
    leftReservations: () => readable(readLeftReservations(db)),
    price: (id) => access(() => findPrice(db, id)),
    counts: () => access(() => countOthers(db)),
  }
}

async function* explainedRows<Row>(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows
  } catch (error) {
    throw explainFailure(error, path)
  }
}

/** An empty extent begins behind its end. */
function findExtent(db: Database, since: number | undefined): Extent {
  const ids = (table: string) => {
    const condition = since === undefined ? '' : 'WHERE created_at >= $since'
    const text =
      `SELECT (SELECT min(id) FROM ${table} ${condition}) AS first, ` +
      `(SELECT max(id) FROM ${table}) AS last`
    const found = db
      .query<{ first: number | null; last: number | null }, [{ since?: number }]>(text)
      .get(since === undefined ? {} : { since })
    const last = found?.last ?? 0
    return { first: found?.first ?? last + 1, last }
  }
  const [requests, entries] = [ids('request'), ids('ledger')]
  return {
    since,
    firstRequest: requests.first,
    lastRequest: requests.last,
    firstEntry: entries.first,
    lastEntry: entries.last,
  }
}
