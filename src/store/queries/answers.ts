import {
  type AnswerStore,
  type BackgroundAnswer,
  type FoundAnswer,
  type HeldAnswer,
  keptAnswerMs,
} from '../ports/answers.ts'
import { backgroundFields, selected } from '../schema/columns.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, type Engine, first, run, type Steps } from './steps.ts'

const pendingColumns = selected('background_answer', backgroundFields)

/** With the reservation of each, and when it is due; `rest` is the query from WHERE on. */
const selectHeld = (rest: Sql) => sql<HeldAnswer & { readonly dueAt?: number }>`
  SELECT ${pendingColumns}, coalesce(reservation.amount_nano, 0) AS "amountNano", due_at AS "dueAt"
  FROM background_answer
  LEFT JOIN reservation ON reservation.request_id = background_answer.request_id ${rest}`

/** Rows removed at once: locks stay short. */
const sweptAtOnce = 5_000

/** Answers that vendors keep, and those that they are still making. */
export function createAnswerStore(engine: Engine, now: () => Sql<number>): AnswerStore {
  const putOff = (requestId: string, forMs: number, where = sql``) =>
    engine.read(() =>
      run(sql`UPDATE background_answer SET due_at = ${now()} + ${sql.lit(forMs)}
        WHERE request_id = ${requestId} ${where}`),
    )

  return {
    find: (accountId, ids) => engine.read(() => findAnswers(accountId, ids)),
    areShared: (channelIds) => engine.read(() => areShared(channelIds)),
    async sweep() {
      const before = sql<number>`${now()} - ${sql.lit(keptAnswerMs)}`
      // Reads first, so that only a removal waits for other writers.
      const found = await engine.read(() =>
        first(sql`SELECT 1 FROM kept_answer WHERE created_at < ${before} LIMIT 1`),
      )
      if (found === undefined) return 0
      return engine.read(() =>
        run(sql`DELETE FROM kept_answer WHERE (answer_id, account_id) IN (
        SELECT answer_id, account_id FROM kept_answer
        WHERE created_at < ${before} LIMIT ${sql.lit(sweptAtOnce)})`),
      )
    },
    pending: (accountId, answerId) =>
      engine.read(() =>
        first(
          sql<BackgroundAnswer>`SELECT ${pendingColumns} FROM background_answer
            WHERE answer_id = ${answerId} AND account_id = ${accountId}`,
        ),
      ),
    allPending: () =>
      engine.read(function* () {
        const held = yield* all(selectHeld(sql`ORDER BY background_answer.created_at`))
        return held.map(({ dueAt: _, ...one }) => one)
      }),
    async takeDue(most, leaseMs) {
      // A later due time means that the clock was set back.
      const due = await engine.read(() =>
        all(
          selectHeld(sql`WHERE due_at <= ${now()} OR due_at > ${now()} + ${sql.lit(2 * leaseMs)}
            ORDER BY due_at LIMIT ${most}`),
        ),
      )
      const taken = []
      for (const { dueAt, ...one } of due) {
        const changes = await putOff(one.requestId, leaseMs, sql`AND due_at = ${dueAt}`)
        if (changes === 1) taken.push(one)
      }
      return taken
    },
    async putOff(requestId, forMs) {
      await putOff(requestId, forMs)
    },
  }
}

interface FoundRow extends Omit<FoundAnswer, 'isOwn' | 'isPending'> {
  readonly accountId: number
  readonly pendingId: string | null
}

/** Of an id that several accounts have, the own one counts. */
function* findAnswers(accountId: number, ids: readonly string[]): Steps<readonly FoundAnswer[]> {
  if (ids.length === 0) return []
  const rows = yield* all(
    sql<FoundRow>`
      SELECT kept.answer_id AS id, kept.account_id AS "accountId", kept.channel_id AS "channelId",
        kept.key_mark AS "keyMark", kept.context_tokens AS "contextTokens",
        pending.request_id AS "pendingId"
      FROM kept_answer AS kept LEFT JOIN background_answer AS pending
        ON pending.answer_id = kept.answer_id AND pending.account_id = kept.account_id
      WHERE kept.answer_id IN (${sql.join(ids)})`,
  )
  const found = new Map<string, FoundAnswer>()
  for (const { accountId: owner, pendingId, ...row } of rows) {
    const isOwn = owner === accountId
    if (isOwn || !found.has(row.id))
      found.set(row.id, { ...row, isOwn, isPending: pendingId !== null })
  }
  return [...found.values()]
}

function* areShared(channelIds: readonly number[]): Steps<boolean> {
  if (channelIds.length === 0) return false
  const accounts = yield* all(
    sql`SELECT DISTINCT token.account_id FROM token
      JOIN group_channel ON group_channel.group_id = token.group_id
      WHERE group_channel.channel_id IN (${sql.join(channelIds)}) AND token.deleted_at IS NULL
      LIMIT 2`,
  )
  return accounts.length > 1
}
