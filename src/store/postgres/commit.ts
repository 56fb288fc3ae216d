import { DatabaseError } from 'pg'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Batch, Committed, Reservation, Settlement } from '../ports/records.ts'
import { StoreError, UnansweredError } from '../ports/store-error.ts'
import { checkCharge } from '../queries/ledger.ts'
import { alreadyStored } from '../schema/postgres-commit.ts'
import { places } from '../schema/postgres-rows.ts'
import { createPreparation, type Known } from './batch.ts'
import type { Connections, Statement } from './connections.ts'
import type { Patience } from './engine.ts'
import { overrunChannel } from './overruns.ts'

interface Answer {
  readonly denied: readonly string[]
  /** Those of `denied` that the budget of their token does not cover. */
  readonly overBudget: readonly string[]
  /** What can come to more, while another such request of its account is under way. */
  readonly busy: readonly string[]
  /** The accounts of the batch and, in the same order, their balances; null: there are none. */
  readonly ids: readonly number[] | null
  readonly balances: readonly number[] | null
  /** Id, and what was spent in all, on the day and in its month. */
  readonly tokens: readonly (readonly [number, number, number, number])[]
  /** Purse, amount and the last wish. */
  readonly leases?: readonly (readonly [number, number, number])[]
  readonly recalled?: readonly number[] | null
}

/** The call, and in the same transaction its notifications; most batches have none. */
function statementOf(
  name: string,
  values: readonly unknown[],
  notices: readonly string[],
): Statement {
  const text = `SELECT ${name}(${places}) AS answer`
  if (notices.length === 0) return { text, values, name }
  const payloads = `unnest($${values.length + 1}::text[])`
  const telling = `(SELECT count(pg_notify('${overrunChannel}', payload)) FROM ${payloads} AS payload)`
  return { text: `${text}, ${telling}`, values: [...values, notices] }
}

/**
 * The hot path's writing: one call, and so one round trip, for a whole batch (`postgres-commit.ts`).
 * Throws and stores nothing when a charge is no whole number of nano-USD or a balance would leave the
 * exact integers. Committing a batch twice changes nothing. `node` makes the reservations and holds the
 * leases; undefined: it is in no list, and gets none.
 */
export function createCommit(
  connections: Connections,
  patiently: Patience,
  clock: Clock,
  node: () => number | undefined,
) {
  const prepare = createPreparation()

  async function ask(batch: Batch, now: number, day: string): Promise<Answer> {
    let known: Known | undefined
    // Requests that are stored already are found once; then others may be, which another node stored.
    for (;;) {
      const prepared = prepare(batch, known)
      const { name, values, lowest, highest, notices } = prepared
      const told = [now, day, node() ?? null, lowest, highest]
      const statement = statementOf(name, [...values, ...told], notices)
      try {
        const { rows } = await patiently(() => connections.query(statement))
        prepared.done()
        return JSON.parse(String(rows[0]?.answer))
      } catch (error) {
        if (!isAlreadyStored(error)) throw error
        known = await find(batch.settle ?? [], lowest, highest)
      }
    }
  }

  async function find(
    settle: readonly Settlement[],
    lowest: string,
    highest: string,
  ): Promise<Known> {
    const ids = settle.map(({ request }) => request.requestId)
    const { rows } = await patiently(() =>
      connections.query({ text: selectKnown, values: [ids, lowest, highest] }),
    )
    const isOf = (ending: boolean) =>
      new Set(rows.filter(({ swept }) => swept === ending).map(({ id }) => String(id)))
    return { stored: isOf(false), swept: isOf(true) }
  }

  /** Midnight lies between the request and now: its budget is that of its own day. */
  async function reserveLate(
    reserve: readonly Reservation[],
    now: number,
  ): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    for (const [day, late] of Map.groupBy(reserve, ({ createdAt }) => utcDay(createdAt))) {
      answers.push(await ask({ reserve: late }, now, day).catch(partlyDone))
    }
    return answers
  }

  return async (batch: Batch): Promise<Committed> => {
    for (const { request } of batch.settle ?? []) checkCharge(request)
    const now = clock()
    const day = utcDay(now)
    const released = new Set(batch.release)
    const { asked, late, isReleased } = sorted(batch.reserve ?? [], released, day)
    const first = await ask({ ...batch, reserve: asked }, now, day)
    const answers = [first, ...(late.length > 0 ? await reserveLate(late, now) : [])]
    return {
      denied: new Map([
        ...isReleased.map((requestId) => [requestId, 'balance'] as const),
        ...answers.flatMap(denials),
      ]),
      accounts: answers.flatMap(({ ids, balances }) =>
        (ids ?? []).map((accountId, at) => ({ accountId, balanceNano: balances?.[at] ?? 0 })),
      ),
      tokens: first.tokens.map(([tokenId, totalNano, dayNano, monthNano]) => ({
        tokenId,
        spent: { totalNano, dayNano, monthNano, day },
      })),
      leases: (first.leases ?? []).map(([purse, leaseNano, no]) => ({ purse, leaseNano, no })),
      recalled: answers.flatMap(({ recalled }) => recalled ?? []),
    }
  }
}

const isAlreadyStored = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === alreadyStored

const selectKnown = `SELECT request_id AS id, ending = 'interrupted' AS swept FROM request
WHERE request_id = ANY ($1) AND request_id BETWEEN $2 AND $3`

/** What came before it in the batch is stored: the error must not say otherwise. */
function partlyDone(error: unknown): never {
  if (!(error instanceof StoreError)) throw error
  throw new UnansweredError(error.message, { cause: error })
}

const denials = ({ denied, overBudget, busy }: Answer) => [
  ...denied.map((requestId) => [requestId, 'balance'] as const),
  ...overBudget.map((requestId) => [requestId, 'budget'] as const),
  ...busy.map((requestId) => [requestId, 'busy'] as const),
]

/** Reservations to ask for, those of another day than this, and those that end at once. */
function sorted(reserve: readonly Reservation[], released: ReadonlySet<string>, day: string) {
  const asked: Reservation[] = []
  const late: Reservation[] = []
  const isReleased: string[] = []
  for (const one of reserve) {
    if (released.has(one.requestId)) isReleased.push(one.requestId)
    else if (utcDay(one.createdAt) === day) asked.push(one)
    else late.push(one)
  }
  return { asked, late, isReleased }
}
