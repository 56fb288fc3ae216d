import { chargeSuffix, longestLifeMs } from '../../ports/answers.ts'
import {
  type ChargedUse,
  type CheckedEntry,
  type CheckedRequest,
  type Extent,
  type OddAttempts,
  type OddBackground,
  type OddSum,
  type Page,
  type PriceInTime,
  steadyMs,
  uncheckedFields,
  type VerificationStore,
} from '../../ports/verification.ts'
import { requestFields, type Stored, selected, withFlags } from '../../schema/columns.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import {
  all,
  type Engine,
  first,
  idSteps,
  inItsPartition,
  inPages,
  maxOf,
  one,
  pageSize,
  pause,
  type Steps,
} from '../steps.ts'
import { type DayWords, readOddDays } from './days.ts'

export type Reading = Pick<Engine, 'read' | 'snapshot'>

export interface VerificationParts
  extends Pick<VerificationStore, 'checkFile' | 'checkSoon' | 'oddSpendings'> {
  readonly reading: Reading
  /** Statements on one connection, which has temporary tables. */
  readonly session: () => Promise<Reading & AsyncDisposable>
  readonly words: DayWords
}

/** Reads for `verify`: rows that are written together are compared within one statement or transaction. */
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
    // Reservations are as many as there are requests under way: one statement does.
    oddReserved: () => readRows(reading, selectReserved),
    oddSpendings: parts.oddSpendings,
    leftReservations: () => readLeftReservations(reading),
    oddBackground: (extent) => readOddBackground(reading, extent),
    price: (id) => reading.read(() => first(selectPrice(id))),
    usesAround: (price) => reading.read(() => findUses(price)),
    counts: () => reading.read(() => one(selectCounts)),
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

async function* readRows<Row>({ read }: Reading, query: Sql<Row>): AsyncGenerator<Page<Row>> {
  yield* inPages(await read(() => all(query)))
}

const rowsPerStep = 20_000

/** The rows of a statement for each step over ids, so that none takes long. */
async function* readSteps<Row>(
  reading: Reading,
  [first, last]: readonly [first: number, last: number],
  select: (after: number, to: number) => Sql<Row>,
): AsyncGenerator<Page<Row>> {
  for (const { after, to } of idSteps(first, last, rowsPerStep)) {
    yield* readRows(reading, select(after, to))
    await pause()
  }
}

const checkedFields = Object.keys(requestFields).filter(
  (field) => !uncheckedFields.some((one) => one === field),
)
const flags = ['estimated', 'clamped', 'longContextPricing', 'leftUncounted'] as const

const selectRequests = (after: number, last: number, since: number) => sql<Stored<CheckedRequest>>`
SELECT request.id AS "row", ${selected('request', checkedFields)},
  token.account_id AS "tokenAccountId", ledger.id AS "entryId", ledger.kind AS "entryKind",
  ledger.account_id AS "entryAccountId", ledger.amount_nano AS "entryAmountNano",
  ledger.created_at AS "entryCreatedAt",
  CASE WHEN request.ending = 'client_left' AND request.calls = 0 AND EXISTS (
    SELECT 1 FROM attempt WHERE attempt.request_row = request.id
    AND attempt.status BETWEEN 200 AND 299
    AND attempt.cause IS NULL AND request.first_byte_ms IS NOT NULL
  ) THEN 1 ELSE 0 END AS "leftUncounted"
FROM request
LEFT JOIN ledger ON ledger.request_id = request.request_id
LEFT JOIN token ON token.id = request.token_id
WHERE request.id > ${after} AND request.id <= ${last} AND request.created_at >= ${since}
ORDER BY request.id LIMIT ${sql.lit(pageSize)}`

/** Requests with their ledger entries: both were written in one transaction, so none is missing. */
async function* readRequests(
  { read }: Reading,
  { firstRequest, lastRequest, since = Number.MIN_SAFE_INTEGER }: Extent,
): AsyncGenerator<Page<CheckedRequest>> {
  for (let after = firstRequest - 1; after < lastRequest; ) {
    const from = after
    const found = await read(() => all(selectRequests(from, lastRequest, since)))
    const rows = found.map((row) => withFlags<CheckedRequest>(row, flags))
    const last = rows.length < pageSize ? lastRequest : (rows.at(-1)?.row ?? lastRequest)
    yield { rows, looked: last - after }
    after = last
    await pause()
  }
}

const selectPrice = (id: number) => sql<PriceInTime>`
SELECT id, model, terms, valid_from AS "validFrom", (
  SELECT valid_from FROM model_price AS later WHERE later.model = model_price.model
  AND later.id > model_price.id ORDER BY later.id LIMIT 1
) AS "replacedAt"
FROM model_price WHERE id = ${id}`

const endedAt = sql`request.created_at + request.duration_ms`

const selectUse = (id: number, which: Sql) => sql`
SELECT request.id AS "row", request.created_at AS "createdAt", request.duration_ms AS "durationMs"
FROM request JOIN ledger ON ledger.request_id = request.request_id
WHERE request.price_id IN (
  SELECT other.id FROM model_price AS own JOIN model_price AS other ON other.model = own.model
  WHERE own.id = ${id} AND ${which}
) AND abs(ledger.created_at - (${endedAt})) <= ${sql.lit(steadyMs)}
AND NOT EXISTS (SELECT 1 FROM ledger AS earlier WHERE earlier.id < ledger.id AND earlier.kind = 'charge'
  AND earlier.created_at > ledger.created_at + ${sql.lit(steadyMs)})`

/** Reads many rows, and is asked only where a time and a price contradict each other. */
function* findUses({ id, validFrom }: Pick<PriceInTime, 'id' | 'validFrom'>) {
  const [older, newer] = [sql`other.id < own.id`, sql`other.id > own.id`]
  return {
    lastBefore: yield* first(sql<ChargedUse>`${selectUse(id, older)}
      AND ${endedAt} < ${validFrom} ORDER BY request.id DESC LIMIT 1`),
    firstAfter: yield* first(sql<ChargedUse>`${selectUse(id, newer)} ORDER BY request.id LIMIT 1`),
  }
}

interface Place {
  readonly account: number
  readonly id: number
}

// One statement for an entry and its balance, so that both are of the same moment.
const selectEntries = ({ account, id }: Place, firstEntry: number) => sql<StoredEntry>`
SELECT ledger.id, ledger.account_id AS "accountId", account.email, ledger.kind,
  ledger.amount_nano AS "amountNano", ledger.balance_after_nano AS "balanceAfterNano",
  ledger.request_id AS "requestId", CASE WHEN request.id IS NULL THEN 0 ELSE 1 END AS "hasRequest",
  account.balance_nano AS "balanceNano"
FROM ledger
LEFT JOIN account ON account.id = ledger.account_id
LEFT JOIN request ON request.request_id = ledger.request_id
WHERE (ledger.account_id, ledger.id) > (${account}, ${id}) AND ledger.id >= ${firstEntry}
ORDER BY ledger.account_id, ledger.id LIMIT ${sql.lit(pageSize)}`

type StoredEntry = Omit<CheckedEntry, 'hasRequest' | 'beforeNano'> & { readonly hasRequest: number }

/** Entries of one account after the other, with the balance that each account had before. */
async function* readEntries({ read }: Reading, extent: Extent): AsyncGenerator<Page<CheckedEntry>> {
  let place: Place = { account: Number.MIN_SAFE_INTEGER, id: 0 }
  while (true) {
    const from = place
    const rows = await read(() => readPage(from, extent))
    yield { rows, looked: rows.length }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    place = { account: last.accountId, id: last.id }
    await pause()
  }
}

function* readPage(place: Place, extent: Extent): Steps<CheckedEntry[]> {
  const found = yield* all(selectEntries(place, extent.firstEntry))
  const isFirst = (row: StoredEntry, at: number) =>
    row.accountId !== (found[at - 1]?.accountId ?? place.account)
  const before = yield* readBefore(found.filter(isFirst), extent)
  return found.map((row, at) => ({
    ...row,
    hasRequest: row.hasRequest === 1,
    beforeNano: isFirst(row, at) ? (before.get(row.accountId) ?? 0) : null,
  }))
}

/** Balances of the accounts before the first entries; what is before an extent never changes. */
function* readBefore(
  entries: readonly StoredEntry[],
  { since, firstEntry }: Extent,
): Steps<ReadonlyMap<number, number | null>> {
  if (since === undefined || entries.length === 0) return new Map()
  const ids = entries.map(({ id }) => id)
  const rows = yield* all(
    sql<{ accountId: number; beforeNano: number | null }>`
      SELECT account_id AS "accountId", (
        SELECT balance_after_nano FROM ledger AS earlier
        WHERE earlier.account_id = ledger.account_id AND earlier.id < ${firstEntry}
        ORDER BY earlier.id DESC LIMIT 1
      ) AS "beforeNano" FROM ledger WHERE id IN (${sql.join(ids)})`,
  )
  return new Map(rows.map(({ accountId, beforeNano }) => [accountId, beforeNano]))
}

const selectBalances = (after: number, to: number, firstEntry: number) => sql<OddSum>`
SELECT * FROM (
  SELECT account.id AS "accountId", account.email, account.balance_nano AS "storedNano",
    coalesce((SELECT balance_after_nano FROM ledger WHERE account_id = account.id
      ORDER BY id DESC LIMIT 1), 0) AS "expectedNano"
  FROM account WHERE account.id > ${after} AND account.id <= ${to} AND NOT EXISTS (
    SELECT 1 FROM ledger WHERE account_id = account.id AND id >= ${firstEntry}
  )
) AS balance WHERE "storedNano" <> "expectedNano"`

/** Accounts without an entry in the extent: their balance is what their newest entry left. */
async function* readOddBalances(
  reading: Reading,
  { firstEntry }: Extent,
): AsyncGenerator<Page<OddSum>> {
  const newest = await reading.read(() => maxOf('account', 'id'))
  yield* readSteps(reading, [1, newest], (after, to) => selectBalances(after, to, firstEntry))
}

const selectAttempts = (after: number, to: number) => sql<OddAttempts>`
SELECT attempt.request_row AS "requestRow", request.request_id AS "requestId", count(*) AS count,
  min(attempt.position) AS lowest, max(attempt.position) AS highest
FROM attempt LEFT JOIN request ON request.id = attempt.request_row AND ${inItsPartition('attempt')}
  AND request.id > ${after} AND request.id <= ${to}
WHERE attempt.request_row > ${after} AND attempt.request_row <= ${to}
GROUP BY attempt.request_row, request.id, request.request_id
HAVING min(attempt.position) <> 0 OR max(attempt.position) <> count(*) - 1 OR request.id IS NULL`

/** Attempts are counted in their own order; positions can't repeat, they are part of the key. */
async function* readOddAttempts(
  { read }: Reading,
  { since, firstRequest }: Extent,
): AsyncGenerator<Page<OddAttempts>> {
  const ends = await read(() =>
    one(
      sql<{ first: number | null; last: number | null }>`
        SELECT min(request_row) AS first, max(request_row) AS last FROM attempt`,
    ),
  )
  // An attempt of a request that is gone may have any number, so all are looked at.
  const from = since === undefined ? (ends.first ?? 0) : firstRequest
  for (const { after, to } of idSteps(from, ends.last ?? -1, rowsPerStep)) {
    yield { rows: await read(() => all(selectAttempts(after, to))), looked: to - after }
    await pause()
  }
}

// Sums as floating point never overflow, whatever a row holds.
const selectReserved = sql<OddSum>`
WITH held AS (
  SELECT account_id, sum(CAST(amount_nano AS double precision)) AS nano FROM (
    SELECT account_id, amount_nano FROM reservation
    UNION ALL SELECT purse, amount_nano FROM lease
  ) AS parts GROUP BY account_id
)
SELECT account.id AS "accountId", account.email, account.reserved_nano AS "storedNano",
  coalesce(held.nano, 0) AS "expectedNano"
FROM account LEFT JOIN held ON held.account_id = account.id
WHERE account.reserved_nano <> coalesce(held.nano, 0)`

const selectLeft = sql<{ requestId: string }>`
SELECT request_id AS "requestId" FROM reservation WHERE EXISTS (
  SELECT 1 FROM request WHERE request.request_id = reservation.request_id
)`

/** A request's record and the end of its reservation are written in one transaction. */
async function* readLeftReservations(reading: Reading): AsyncGenerator<Page<string>> {
  for await (const { rows } of readRows(reading, selectLeft)) {
    yield { rows: rows.map(({ requestId }) => requestId), looked: 0 }
  }
}

const selectCounts = sql<{ accounts: number; reservations: number }>`
SELECT (SELECT count(*) FROM account) AS accounts,
  (SELECT count(*) FROM reservation) AS reservations`

const chargeId = sql`request.request_id || ${sql.lit(chargeSuffix)}`

const selectLost = (after: number, to: number) => sql<OddBackground>`
SELECT request_id AS "requestId", 'lost' AS fault FROM request
WHERE id > ${after} AND id <= ${to} AND ending = 'background'
  AND NOT EXISTS (SELECT 1 FROM request AS charge WHERE charge.request_id = ${chargeId})
  AND NOT EXISTS (SELECT 1 FROM background_answer AS held WHERE held.request_id = ${chargeId})`

/** Older than one may live, by the time of the newest request. */
const slackMs = 3_600_000

const selectHeld = sql<OddBackground>`
SELECT request_id AS "requestId", CASE WHEN EXISTS (
    SELECT 1 FROM request WHERE request.request_id = held.request_id
  ) THEN 'charged' ELSE 'overdue' END AS fault
FROM background_answer AS held
CROSS JOIN (SELECT created_at AS now_ms FROM request ORDER BY id DESC LIMIT 1) AS newest
WHERE (created_at < now_ms - ${sql.lit(longestLifeMs + slackMs)} AND due_at < now_ms - ${sql.lit(slackMs)})
  OR EXISTS (SELECT 1 FROM request WHERE request.request_id = held.request_id)`

/** A charge and the end of what is held for it are written in one transaction. */
async function* readOddBackground(
  reading: Reading,
  { firstRequest, lastRequest }: Extent,
): AsyncGenerator<Page<OddBackground>> {
  yield* readSteps(reading, [firstRequest, lastRequest], selectLost)
  yield* readRows(reading, selectHeld)
}
