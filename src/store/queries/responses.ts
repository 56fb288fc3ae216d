import { type RawBuilder, sql } from 'kysely'
import type { KeptLimits, KeptResponse, ResponseStore } from '../ports/answers.ts'
import { all, build, type Engine, first, run, type Steps } from './steps.ts'

interface ResponseParts {
  readonly engine: Engine
  /** The time that all nodes go by, in milliseconds since 1970. */
  readonly now: () => RawBuilder<number>
}

/** What a row takes beside its contents, and its places in indexes. */
const rowBytes = 512
/** So many, and so much, are removed by one statement: who waits for it should not wait for long. */
const removedAtOnce = 200
const removedBytes = 16 * 1_048_576
/** So many statements make room for one response; the rest is the sweep's. */
const mostRounds = 10

/**
 * Translated responses. Each statement is a transaction of its own: requests of many accounts write at
 * once, and what they count together may be some milliseconds old.
 */
export function createResponseStore({ engine, now }: ResponseParts): ResponseStore {
  const isYoung = ({ keptMs }: KeptLimits) =>
    sql<boolean>`created_at > ${now()} - ${sql.lit(keptMs)}`

  return {
    put: (response, limits) => engine.read(() => put(response, limits, now)),
    find: (accountId, id, limits) =>
      engine.read(() =>
        first(
          build
            .selectFrom('response')
            .select(['id', 'account_id as accountId', 'input', 'response'])
            .where('id', '=', id)
            .where('account_id', '=', accountId)
            .where(isYoung(limits)),
        ),
      ),
    findResponses: (accountId, ids, limits) =>
      engine.read(() =>
        all(
          build
            .selectFrom('response')
            .select(['id', 'account_id as accountId', 'response'])
            .where('id', 'in', ids)
            .where('account_id', '=', accountId)
            .where(isYoung(limits)),
        ),
      ),
    remove: async (accountId, id) => {
      const own = build.deleteFrom('response').where('id', '=', id)
      return (await engine.read(() => run(own.where('account_id', '=', accountId)))) > 0
    },
    sweep: (limits) => engine.read(() => sweep(limits, now)),
  }
}

function* put(
  { id, accountId, input, response }: KeptResponse,
  { maxBytes }: KeptLimits,
  now: ResponseParts['now'],
): Steps<boolean> {
  const sizeBytes = input.byteLength + response.byteLength + rowBytes
  if (sizeBytes > maxBytes) return false
  const excess = (yield* totalBytes()) + sizeBytes - maxBytes
  const left = yield* makeRoom(excess, { accountId, sizeBytes })
  if (left.excess > 0) return false
  const inserted = yield* run(sql`
    INSERT INTO response (id, account_id, created_at, size_bytes, input, response)
    SELECT ${id}, id, ${now()}, ${sql.lit(sizeBytes)}, ${input}, ${response} FROM account
    WHERE id = ${accountId} AND deleted_at IS NULL
    ON CONFLICT (id) DO NOTHING`)
  return inserted > 0
}

function* totalBytes(): Steps<number> {
  const sum = build.selectFrom('response_share')
  const found = yield* first(sum.select(({ fn }) => fn.sum<number>('size_bytes').as('total')))
  return Number(found?.total ?? 0)
}

/** Whose response is to come, and how large it is. */
interface Coming {
  readonly accountId: number
  readonly sizeBytes: number
}

/** Removes the oldest of who has the most, again and again; tells how much is still too much. */
function* makeRoom(
  excess: number,
  coming?: Coming,
): Steps<{ readonly excess: number; readonly removed: number }> {
  let [left, removed] = [excess, 0]
  for (let round = 0; left > 0 && round < mostRounds; round++) {
    const largest = yield* largestShare(coming)
    if (largest === undefined) break
    const oldest = yield* all(
      build
        .selectFrom('response')
        .select(['id', 'size_bytes as sizeBytes'])
        .where('account_id', '=', largest)
        .orderBy('created_at')
        .limit(removedAtOnce),
    )
    const { ids, bytes } = firstOf(oldest, Math.min(left, removedBytes))
    left -= bytes
    // What somebody else has removed meanwhile made room as well.
    if (ids.length > 0) removed += yield* run(build.deleteFrom('response').where('id', 'in', ids))
    else if (largest === coming?.accountId) break
  }
  return { excess: left, removed }
}

interface Sized {
  readonly id: string
  readonly sizeBytes: number
}

/** The first rows whose sizes add up to at least `least` bytes. */
function firstOf(rows: readonly Sized[], least: number) {
  const ids: string[] = []
  let bytes = 0
  for (const { id, sizeBytes } of rows) {
    if (bytes >= least) break
    ids.push(id)
    bytes += sizeBytes
  }
  return { ids, bytes }
}

/** The account that has the most, what is to come included. */
function* largestShare(coming: Coming | undefined): Steps<number | undefined> {
  const share = build
    .selectFrom('response_share')
    .select(['account_id as id', 'size_bytes as size'])
  const largest = yield* first(share.orderBy('size_bytes', 'desc').limit(1))
  const own = coming && (yield* first(share.where('account_id', '=', coming.accountId)))
  const ownSize = (own?.size ?? 0) + (coming?.sizeBytes ?? 0)
  return coming && ownSize >= (largest?.size ?? 0) ? coming.accountId : largest?.id
}

function* sweep({ maxBytes, keptMs }: KeptLimits, now: ResponseParts['now']): Steps<number> {
  const before = sql<number>`${now()} - ${sql.lit(keptMs)}`
  const old = build.selectFrom('response').select(['id', 'size_bytes as sizeBytes'])
  const rows = yield* all(
    old.where('created_at', '<=', before).orderBy('created_at').limit(removedAtOnce),
  )
  const { ids } = firstOf(rows, removedBytes)
  // Only who has something to remove waits for others that write.
  const removed = ids.length && (yield* run(build.deleteFrom('response').where('id', 'in', ids)))
  const room = yield* makeRoom((yield* totalBytes()) - maxBytes)
  return removed + room.removed
}
