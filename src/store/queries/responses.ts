import type { KeptLimits, KeptResponse, ResponseStore } from '../ports/answers.ts'
import { selected } from '../schema/columns.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, type Engine, first, one, run, type Steps } from './steps.ts'

/** The time of all nodes, in milliseconds since 1970. */
type Now = () => Sql<number>

/** The size of a row without its contents, index entries included. */
const rowBytes = 512
/** The most rows and bytes that one statement removes: locks stay short. */
const removedAtOnce = 200
const removedBytes = 16 * 1_048_576
/** Statements that make room for one response; the sweep removes the rest. */
const mostRounds = 10

/** Each statement is its own transaction. */
export function createResponseStore(engine: Engine, now: Now): ResponseStore {
  const found = (fields: readonly string[], { keptMs }: KeptLimits, accountId: number) =>
    sql<KeptResponse>`SELECT ${selected('response', fields)} FROM response
      WHERE account_id = ${accountId} AND created_at > ${now()} - ${sql.lit(keptMs)}`

  return {
    put: (response, limits) => engine.read(() => put(response, limits, now)),
    find: (accountId, id, limits) =>
      engine.read(() => {
        const fields = ['id', 'accountId', 'input', 'response']
        return first(sql<KeptResponse>`${found(fields, limits, accountId)} AND id = ${id}`)
      }),
    findResponses: (accountId, ids, limits) =>
      engine.read(() => {
        const fields = ['id', 'accountId', 'response']
        return all(
          sql<KeptResponse>`${found(fields, limits, accountId)} AND id IN (${sql.join(ids)})`,
        )
      }),
    remove: async (accountId, id) =>
      (await engine.read(() =>
        run(sql`DELETE FROM response WHERE id = ${id} AND account_id = ${accountId}`),
      )) > 0,
    sweep: (limits) => engine.read(() => sweep(limits, now)),
  }
}

function* put(
  { id, accountId, input, response }: KeptResponse,
  { maxBytes }: KeptLimits,
  now: Now,
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
  const { total } = yield* one(
    sql<{ total: number }>`SELECT coalesce(sum(size_bytes), 0) AS total FROM response_share`,
  )
  return total
}

type Coming = { readonly accountId: number; readonly sizeBytes: number }

/** Removes the oldest of the largest account, repeatedly; returns the remaining excess. */
function* makeRoom(
  excess: number,
  coming?: Coming,
): Steps<{ readonly excess: number; readonly removed: number }> {
  let [left, removed] = [excess, 0]
  for (let round = 0; left > 0 && round < mostRounds; round++) {
    const largest = yield* largestShare(coming)
    if (largest === undefined) break
    const oldest = yield* all(
      sql<Sized>`SELECT id, size_bytes AS "sizeBytes" FROM response WHERE account_id = ${largest}
        ORDER BY created_at LIMIT ${sql.lit(removedAtOnce)}`,
    )
    const { ids, bytes } = firstOf(oldest, Math.min(left, removedBytes))
    left -= bytes
    // Concurrent removals count, too.
    if (ids.length > 0) removed += yield* remove(ids)
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

const remove = (ids: readonly string[]) =>
  run(sql`DELETE FROM response WHERE id IN (${sql.join(ids)})`)

/** The account with the most bytes, the new response included. */
function* largestShare(coming: Coming | undefined): Steps<number | undefined> {
  const select = (rest: Sql) =>
    first(
      sql<{ id: number; size: number }>`
        SELECT account_id AS id, size_bytes AS size FROM response_share ${rest}`,
    )
  const largest = yield* select(sql`ORDER BY size_bytes DESC LIMIT 1`)
  const own = coming && (yield* select(sql`WHERE account_id = ${coming.accountId}`))
  const ownSize = (own?.size ?? 0) + (coming?.sizeBytes ?? 0)
  return coming && ownSize >= (largest?.size ?? 0) ? coming.accountId : largest?.id
}

function* sweep({ maxBytes, keptMs }: KeptLimits, now: Now): Steps<number> {
  const before = sql<number>`${now()} - ${sql.lit(keptMs)}`
  const rows = yield* all(
    sql<Sized>`SELECT id, size_bytes AS "sizeBytes" FROM response WHERE created_at <= ${before}
      ORDER BY created_at LIMIT ${sql.lit(removedAtOnce)}`,
  )
  const { ids } = firstOf(rows, removedBytes)
  // Reads first, so that only a removal waits for other writers.
  const removed = ids.length && (yield* remove(ids))
  const room = yield* makeRoom((yield* totalBytes()) - maxBytes)
  return removed + room.removed
}
