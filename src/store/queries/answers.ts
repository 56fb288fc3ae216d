import { type RawBuilder, sql } from 'kysely'
import { type AnswerStore, type FoundAnswer, keptAnswerMs } from '../ports/answers.ts'
import { all, build, type Engine, first, run, type Steps } from './steps.ts'

interface AnswerParts {
  readonly engine: Engine
  /** The time that all nodes go by, in milliseconds since 1970. */
  readonly now: () => RawBuilder<number>
}

const pendingColumns = [
  'background_answer.request_id as requestId',
  'background_answer.asked_id as askedId',
  'background_answer.answer_id as answerId',
  'background_answer.created_at as createdAt',
  'background_answer.account_id as accountId',
  'background_answer.token_id as tokenId',
  'background_answer.channel_id as channelId',
  'background_answer.key_mark as keyMark',
  'background_answer.charge as charge',
] as const

const selectPending = () => build.selectFrom('background_answer').select(pendingColumns)

/** With what is set aside for each. */
const selectHeld = () =>
  selectPending()
    .leftJoin('reservation', 'reservation.request_id', 'background_answer.request_id')
    .select(({ fn }) => fn.coalesce('reservation.amount_nano', sql<number>`0`).as('amountNano'))

/** Nobody lets one rest for longer than a lease: beyond that the clock was set back meanwhile. */
const restLimit = (now: RawBuilder<number>, leaseMs: number) =>
  sql<number>`${now} + ${sql.lit(2 * leaseMs)}`

/** So many are removed at once: a table that is locked for long keeps requests waiting. */
const sweptAtOnce = 5_000

/** Answers that vendors keep, and those that they are still making. */
export function createAnswerStore({ engine, now }: AnswerParts): AnswerStore {
  const restOf = (requestId: string, forMs: number) =>
    build
      .updateTable('background_answer')
      .set({ due_at: sql<number>`${now()} + ${sql.lit(forMs)}` })
      .where('request_id', '=', requestId)

  return {
    find: (accountId, ids) => engine.read(() => findAnswers(accountId, ids)),
    areShared: (channelIds) => engine.read(() => areShared(channelIds)),
    async sweep() {
      const before = sql<number>`${now()} - ${sql.lit(keptAnswerMs)}`
      const old = build.selectFrom('kept_answer').select('answer_id').limit(1)
      // Only who has something to remove waits for others that write.
      const found = await engine.read(() => first(old.where('created_at', '<', before)))
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
          selectPending().where('answer_id', '=', answerId).where('account_id', '=', accountId),
        ),
      ),
    allPending: () => engine.read(() => all(selectHeld().orderBy('background_answer.created_at'))),
    async takeDue(most, leaseMs) {
      const due = await engine.read(() =>
        all(
          selectHeld()
            .select('due_at as dueAt')
            .where(({ eb, or }) =>
              or([eb('due_at', '<=', now()), eb('due_at', '>', restLimit(now(), leaseMs))]),
            )
            .orderBy('due_at')
            .limit(most),
        ),
      )
      const taken = []
      for (const { dueAt, ...one } of due) {
        const changes = await engine.read(() =>
          run(restOf(one.requestId, leaseMs).where('due_at', '=', dueAt)),
        )
        if (changes === 1) taken.push(one)
      }
      return taken
    },
    async putOff(requestId, forMs) {
      await engine.read(() => run(restOf(requestId, forMs)))
    },
  }
}

/** Of an id that several accounts have got (vendors' own are never alike) the own one counts. */
function* findAnswers(accountId: number, ids: readonly string[]): Steps<readonly FoundAnswer[]> {
  if (ids.length === 0) return []
  const rows = yield* all(
    build
      .selectFrom('kept_answer')
      .leftJoin('background_answer', (join) =>
        join
          .onRef('background_answer.answer_id', '=', 'kept_answer.answer_id')
          .onRef('background_answer.account_id', '=', 'kept_answer.account_id'),
      )
      .select([
        'kept_answer.answer_id as id',
        'kept_answer.account_id as accountId',
        'kept_answer.channel_id as channelId',
        'kept_answer.key_mark as keyMark',
        'kept_answer.context_tokens as contextTokens',
        'background_answer.request_id as pendingId',
      ])
      .where('kept_answer.answer_id', 'in', ids),
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
    build
      .selectFrom('token')
      .innerJoin('group_channel', 'group_channel.group_id', 'token.group_id')
      .select('token.account_id')
      .distinct()
      .where('group_channel.channel_id', 'in', channelIds)
      .where('token.deleted_at', 'is', null)
      .limit(2),
  )
  return accounts.length > 1
}
