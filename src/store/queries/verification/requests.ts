import { type RawBuilder, sql } from 'kysely'
import {
  type ChargedUse,
  type CheckedRequest,
  type Extent,
  type Page,
  type PriceInTime,
  type PriceUses,
  steadyMs,
} from '../../ports/verification.ts'
import { all, first } from '../steps.ts'
import { pageRows, pause } from './paging.ts'
import type { Reading } from './verification.ts'

const selectRequests = (after: number, last: number, since: number) => sql<Stored>`
SELECT request.id AS "row", request.request_id AS "requestId", request.created_at AS "createdAt",
  request.duration_ms AS "durationMs", request.account_id AS "accountId",
  request.token_id AS "tokenId", token.account_id AS "tokenAccountId", request.model,
  request.client_protocol AS "clientProtocol", request.upstream_protocol AS "upstreamProtocol",
  request.ending, request.input_tokens AS "inputTokens", request.output_tokens AS "outputTokens",
  request.reasoning_tokens AS "reasoningTokens", request.cache_read_tokens AS "cacheReadTokens",
  request.cache_write_tokens AS "cacheWriteTokens",
  request.cache_write_1h_tokens AS "cacheWrite1hTokens", request.calls, request.estimated,
  request.clamped, request.usage_raw AS "usageRaw", request.extras AS "extrasJson",
  request.price_id AS "priceId",
  request.tier_above AS "tierAbove", request.long_context_pricing AS "longContextPricing",
  request.multiplier_millionths AS "multiplierMillionths", request.amount_nano AS "amountNano",
  ledger.id AS "entryId", ledger.kind AS "entryKind", ledger.account_id AS "entryAccountId",
  ledger.amount_nano AS "entryAmountNano", ledger.created_at AS "entryCreatedAt",
  CASE WHEN request.ending = 'client_left' AND request.calls = 0 AND EXISTS (
    SELECT 1 FROM attempt WHERE attempt.request_row = request.id
    AND attempt.status BETWEEN 200 AND 299
    AND attempt.cause IS NULL AND request.first_byte_ms IS NOT NULL
  ) THEN 1 ELSE 0 END AS "leftUncounted"
FROM request
LEFT JOIN ledger ON ledger.request_id = request.request_id
LEFT JOIN token ON token.id = request.token_id
WHERE request.id > ${after} AND request.id <= ${last} AND request.created_at >= ${since}
ORDER BY request.id LIMIT ${sql.lit(pageRows)}`

const flags = ['estimated', 'clamped', 'longContextPricing', 'leftUncounted'] as const
type Stored = Omit<CheckedRequest, (typeof flags)[number]> & {
  readonly [flag in (typeof flags)[number]]: number
}

function toRequest(row: Stored): CheckedRequest {
  return {
    ...row,
    estimated: row.estimated !== 0,
    clamped: row.clamped !== 0,
    longContextPricing: row.longContextPricing !== 0,
    leftUncounted: row.leftUncounted !== 0,
  }
}

/** Requests with their ledger entries: both were written in one transaction, so none is missing. */
export async function* readRequests(
  { read }: Reading,
  { firstRequest, lastRequest, since = Number.MIN_SAFE_INTEGER }: Extent,
): AsyncGenerator<Page<CheckedRequest>> {
  for (let after = firstRequest - 1; after < lastRequest; ) {
    const from = after
    const found = await read(() => all(selectRequests(from, lastRequest, since)))
    const rows = found.map(toRequest)
    const last = rows.length < pageRows ? lastRequest : (rows.at(-1)?.row ?? lastRequest)
    yield { rows, looked: last - after }
    after = last
    await pause()
  }
}

/** A price with the time at which the next one of its model took its place. */
export const findPrice = ({ read }: Reading, id: number): Promise<PriceInTime | undefined> =>
  read(() =>
    first(
      sql<PriceInTime>`
SELECT id, model, terms, valid_from AS "validFrom", (
  SELECT valid_from FROM model_price AS later WHERE later.model = model_price.model
  AND later.id > model_price.id ORDER BY later.id LIMIT 1
) AS "replacedAt"
FROM model_price WHERE id = ${id}`,
    ),
  )

const endedAt = sql`request.created_at + request.duration_ms`

/** Charges by other prices of the same model, of whom the clock tells the time. */
const selectUse = (id: number, which: RawBuilder<unknown>) => sql`
SELECT request.id AS "row", request.created_at AS "createdAt", request.duration_ms AS "durationMs"
FROM request JOIN ledger ON ledger.request_id = request.request_id
WHERE request.price_id IN (
  SELECT other.id FROM model_price AS own JOIN model_price AS other ON other.model = own.model
  WHERE own.id = ${id} AND ${which}
) AND abs(ledger.created_at - (${endedAt})) <= ${sql.lit(steadyMs)}
AND NOT EXISTS (SELECT 1 FROM ledger AS earlier WHERE earlier.id < ledger.id AND earlier.kind = 'charge'
  AND earlier.created_at > ledger.created_at + ${sql.lit(steadyMs)})`

/** Reads many rows, and is asked only where a time and a price contradict each other. */
export const findUses = (
  { read }: Reading,
  { id, validFrom }: Pick<PriceInTime, 'id' | 'validFrom'>,
): Promise<PriceUses> =>
  read(function* () {
    const [older, newer] = [sql`other.id < own.id`, sql`other.id > own.id`]
    return {
      lastBefore: yield* first(sql<ChargedUse>`${selectUse(id, older)}
        AND ${endedAt} < ${validFrom} ORDER BY request.id DESC LIMIT 1`),
      firstAfter: yield* first(
        sql<ChargedUse>`${selectUse(id, newer)} ORDER BY request.id LIMIT 1`,
      ),
    }
  })
