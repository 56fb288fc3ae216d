import { Value } from '@sinclair/typebox/value'
import { type Clock, utcDay } from '../../lib/clock.ts'
import { firstLookMs } from '../ports/answers.ts'
import {
  type Batch,
  type Committed,
  Overrun,
  type RequestRow,
  type Reservation,
  type Settlement,
} from '../ports/records.ts'
import { StoreError, UnansweredError } from '../ports/store-error.ts'
import { checkCharge } from '../queries/ledger.ts'
import { commitAnswers, commitRequests } from '../schema/postgres-functions.ts'
import { type Connections, type Listening, type Statement, toJson } from './connections.ts'
import type { Patience } from './engine.ts'

interface Answer {
  readonly denied: readonly string[]
  /** Those of `denied` that the budget of their token does not cover. */
  readonly overBudget: readonly string[]
  /** What can come to more, while another such request of its account is under way. */
  readonly busy: readonly string[]
  readonly accounts: readonly (readonly [number, number])[]
  /** Id, and what was spent in all, on the day and in its month. */
  readonly tokens: readonly (readonly [number, number, number, number])[]
}

/** The call, and in the same transaction its notifications; most batches have none. */
function statementOf(
  name: string,
  values: readonly unknown[],
  notices: readonly string[],
): Statement {
  const text = `SELECT ${name}($1::json, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS answer`
  if (notices.length === 0) return { text, values, name }
  const telling = `(SELECT count(pg_notify('${overrunChannel}', payload)) FROM unnest($11::text[]) AS payload)`
  return { text: `${text}, ${telling}`, values: [...values, notices] }
}

/**
 * The hot path's writing: one call, and so one round trip, for a whole batch (`postgres-functions.ts`).
 * Throws and stores nothing when a charge is no whole number of nano-USD or a balance would leave the
 * exact integers. Committing a batch twice changes nothing. `node` makes the reservations; undefined: it
 * is in no list.
 */
export function createCommit(
  connections: Connections,
  patiently: Patience,
  clock: Clock,
  node: () => number | undefined,
) {
  async function ask(batch: Batch, now: number, day: string): Promise<Answer> {
    const { name, json, settled, released, accountIds, tokenIds, lowest, highest, notices } =
      prepare(batch)
    const values = [
      ...[json, settled, released, accountIds, tokenIds, now, day, node() ?? null],
      ...[lowest, highest],
    ]
    const statement = statementOf(name, values, notices)
    const { rows } = await patiently(() => connections.query(statement))
    return JSON.parse(String(rows[0]?.answer))
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
      accounts: answers.flatMap(({ accounts }) =>
        accounts.map(([accountId, balanceNano]) => ({ accountId, balanceNano })),
      ),
      tokens: first.tokens.map(([tokenId, totalNano, dayNano, monthNano]) => ({
        tokenId,
        spent: { totalNano, dayNano, monthNano, day },
      })),
    }
  }
}

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

function prepare({ settle = [], release = [], reserve = [], grow = [] }: Batch) {
  const settled = firstOfEach(settle)
  const attempts = settled.flatMap(({ request: { requestId }, attempts }) =>
    attempts.map((attempt, position) => ({ requestId, position, ...attempt })),
  )
  const requests = settled.map(({ request }) => request)
  const answers = answersOf(settled)
  let [lowest, highest] = ['', '']
  for (const { requestId } of [...requests, ...reserve]) {
    if (lowest === '' || requestId < lowest) lowest = requestId
    if (requestId > highest) highest = requestId
  }
  return {
    // Most batches have none, and are spared what is done for them.
    name: answers === undefined ? commitRequests : commitAnswers,
    notices: overrunPayloads(settled.flatMap(({ overrun }) => overrun ?? [])),
    settled: requests.map(({ requestId }) => requestId),
    released: [...new Set(release)],
    lowest,
    highest,
    accountIds: distinct([...requests, ...reserve, ...grow].map(({ accountId }) => accountId)),
    tokenIds: distinct([...requests, ...reserve].map(({ tokenId }) => tokenId)),
    json: toJson({
      settle: requests.map(requestFlags),
      attempts,
      reserve: reserve.map((one) => ({
        ...one,
        stream: Number(one.stream),
        isOpen: Number(one.isOpen ?? false),
      })),
      grow,
      ...answers,
    }),
  }
}

function answersOf(settled: readonly Settlement[]) {
  const begun = settled.flatMap((one) => one.begun ?? [])
  const kept = settled.flatMap((one) => one.kept ?? [])
  const ended = settled.filter((one) => one.endsBackground).map((one) => one.request.requestId)
  if (begun.length + kept.length + ended.length === 0) return undefined
  return { begun, kept, ended, dueInMs: firstLookMs }
}

const distinct = (ids: readonly number[]) => [...new Set(ids)]

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

/** The `NOTIFY` channel for answers that cost more than estimated. */
const overrunChannel = 'tollgate_dearer'

/** In bytes. The server refuses longer ones, and with them the commit. */
const longestPayload = 7_999

export interface OverrunNews extends Listening {
  /** `listener` gets all that arrive from now on, this process's own included. */
  onOverrun(listener: (overrun: Overrun) => void): void
}

export function createOverrunNews(): OverrunNews {
  let notify: (overrun: Overrun) => void = () => {}
  return {
    channel: overrunChannel,
    onPayload(payload) {
      const overrun = readPayload(payload)
      if (overrun) notify(overrun)
    },
    onOverrun(listener) {
      notify = listener
    },
  }
}

function overrunPayloads(all: readonly Overrun[]): readonly string[] {
  const payloads = all.map((one) => JSON.stringify(one))
  return payloads.filter((payload) => Buffer.byteLength(payload) <= longestPayload)
}

/** Undefined: another version's form. */
function readPayload(payload: string): Overrun | undefined {
  try {
    const notice: unknown = JSON.parse(payload)
    return Value.Check(Overrun, notice) ? notice : undefined
  } catch {
    return undefined
  }
}
