import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Batch, Committed, RequestRow, Settlement } from '../ports/records.ts'
import type { Connections } from './connections.ts'
import type { Patience } from './patience.ts'
import { toJson } from './values.ts'

/** What the database answers. */
interface Answer {
  readonly denied: readonly string[]
  /** Id and balance. */
  readonly accounts: readonly (readonly [number, number])[]
  /** Id, and what was spent in all, on the day and in its month. */
  readonly tokens: readonly (readonly [number, number, number, number])[]
}

export interface CommitParts {
  readonly connections: Connections
  readonly patiently: Patience
  readonly clock: Clock
  /** Whose reservations these are; undefined: of no node that is in the list. */
  readonly node: () => number | undefined
}

const text = 'SELECT commit_batch($1::json, $2, $3, $4) AS answer'

/**
 * The hot path's writing: one call, and so one round trip, for a whole batch; the database does the
 * rest (see the migrations). Throws and stores nothing when a charge is no whole number of nano-USD or
 * a balance would leave the integers that are exact. A batch may be committed twice: what is stored or
 * set aside already is left alone, only what grows may grow twice, and is freed with the rest.
 */
export function createCommit({ connections, patiently, clock, node }: CommitParts) {
  return async (batch: Batch): Promise<Committed> => {
    for (const { request } of batch.settle ?? []) checkCharge(request)
    const { isReleased, json } = prepared(batch)
    const now = clock()
    const day = utcDay(now)
    const values = [json, now, day, node() ?? null]
    const { rows } = await patiently(() =>
      connections.query({ text, values, name: 'commit_batch' }),
    )
    const { denied, accounts, tokens }: Answer = JSON.parse(String(rows[0]?.answer))
    return {
      denied: new Set([...isReleased, ...denied]),
      accounts: accounts.map(([accountId, balanceNano]) => ({ accountId, balanceNano })),
      tokens: tokens.map(([tokenId, totalNano, dayNano, monthNano]) => ({
        tokenId,
        spent: { totalNano, dayNano, monthNano, day },
      })),
    }
  }
}

function checkCharge({ requestId, amountNano }: RequestRow): void {
  if (Number.isSafeInteger(amountNano) && amountNano >= 0) return
  throw new RangeError(
    `Request ${requestId}: its charge is ${amountNano} nano-USD, but a charge is a ` +
      'whole number from 0 to 2^53 - 1.',
  )
}

/** The batch as the database takes it, and what it is not asked: reservations that end at once. */
function prepared({ settle = [], release = [], reserve = [], grow = [] }: Batch) {
  const settled = firstOfEach(settle)
  const released = new Set(release)
  const asked = reserve.filter(({ requestId }) => !released.has(requestId))
  const attempts = settled.flatMap(({ request: { requestId }, attempts }) =>
    attempts.map((attempt, position) => ({ requestId, position, ...attempt })),
  )
  return {
    isReleased: reserve.filter((one) => released.has(one.requestId)).map((one) => one.requestId),
    json: toJson({
      settle: settled.map(({ request }) => requestFlags(request)),
      attempts,
      release: [...released],
      reserve: asked.map((one) => ({ ...one, stream: Number(one.stream) })),
      grow,
    }),
  }
}

/** Of a request that is settled twice the first counts. */
function firstOfEach(settle: readonly Settlement[]): readonly Settlement[] {
  const first = new Map<string, Settlement>()
  for (const one of settle) {
    if (!first.has(one.request.requestId)) first.set(one.request.requestId, one)
  }
  return [...first.values()]
}

const requestFlags = (request: RequestRow) => ({
  ...request,
  stream: Number(request.stream),
  estimated: Number(request.estimated),
  clamped: Number(request.clamped),
  longContextPricing: Number(request.longContextPricing),
})
