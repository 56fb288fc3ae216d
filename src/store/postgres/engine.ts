import { StoreError, UnansweredError } from '../ports/store-error.ts'
import type { Engine, Outcome, Statement, Steps } from '../queries/steps.ts'
import { compile } from '../schema/sql.ts'
import type { Connection, Connections } from './connections.ts'
import { explainFailure, isConflict, isUnanswered, isUnavailable } from './failures.ts'

/** After so many conflicts a writer blocks changes of accounts. */
const patientConflicts = 3

/** Runs steps on PostgreSQL, awaiting each statement. */
export function createEngine(connections: Connections, patiently: Patience): Engine {
  return {
    read: (steps) => patiently(() => connections.lend((connection) => follow(connection, steps()))),
    snapshot: (steps) =>
      patiently(() =>
        inTransaction(connections, 'snapshot', (connection) => follow(connection, steps())),
      ),
    write(steps) {
      let conflicts = 0
      return patiently(async () => {
        const kind = conflicts < patientConflicts ? 'write' : 'write alone'
        try {
          return await inTransaction(connections, kind, (connection) => follow(connection, steps()))
        } catch (error) {
          if (isConflict(error)) conflicts++
          throw error
        }
      })
    },
  }
}

/** Runs steps on one connection. */
export async function follow<Result>(
  connection: Connection,
  steps: Steps<Result>,
): Promise<Result> {
  let step = steps.next()
  while (!step.done) step = steps.next(await perform(connection, step.value))
  return step.value
}

async function perform(connection: Connection, statement: Statement): Promise<Outcome> {
  const { sql, parameters } = compile(statement.query, 'postgres')
  const { rows, rowCount } = await connection.query({ text: sql, values: parameters })
  return statement.wants === 'rows' ? { rows, changes: 0 } : { rows: [], changes: rowCount ?? 0 }
}

/** Commits of requests may roll a `write` back (`isConflict`); `write alone` makes them wait. */
type Kind = 'plain' | 'snapshot' | 'write' | 'write alone'

const repeatable = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const write = `${repeatable}; LOCK TABLE schema_version IN EXCLUSIVE MODE`

const beginning: Record<Kind, string> = {
  plain: 'BEGIN',
  snapshot: `${repeatable} READ ONLY`,
  write,
  'write alone': `${write}; LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE`,
}

/** All that `work` does, or nothing of it. Throws `StoreError` where a commit got no answer. */
export function inTransaction<Result>(
  connections: Pick<Connections, 'place' | 'lend'>,
  kind: Kind,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return connections.lend(async (connection) => {
    let result: Result
    try {
      await connection.query({ text: beginning[kind] })
      result = await work(connection)
    } catch (error) {
      // The server rolls back when the connection is lost.
      await connection.query({ text: 'ROLLBACK' }).catch(() => undefined)
      throw error
    }
    await end(connection, connections.place)
    return result
  })
}

async function end(connection: Connection, place: string): Promise<void> {
  try {
    await connection.query({ text: 'COMMIT' })
  } catch (error) {
    if (!isUnavailable(error)) throw error
    throw new StoreError(
      `The database ${place} was lost during a change. Check whether it was stored ` +
        'before you repeat it.',
      { cause: error },
    )
  }
}

/** A connection until it is released, after the statement `beginning`. Errors are explained. */
export async function hold({ lend, place }: Connections, beginning?: string) {
  const lent = Promise.withResolvers<Connection>()
  const released = Promise.withResolvers<void>()
  const lending = lend(async (connection) => {
    if (beginning) await connection.query({ text: beginning })
    lent.resolve(connection)
    await released.promise
  })
  lending.catch(lent.reject)
  const explain = (error: unknown): never => {
    throw explainFailure(error, place)
  }
  const { query } = await lent.promise.catch(explain)
  return {
    query: (statement: Parameters<typeof query>[0]) => query(statement).catch(explain),
    async release() {
      released.resolve()
      await lending
    },
  }
}

/** A retry policy; see `createPatience`. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>

const retryMs = { first: 10, most: 250 }

const maxConflicts = 20

/** Retries idempotent `work` after conflicts, and for `patienceMs` while the server is unavailable. */
export function createPatience({ place }: Connections, patienceMs: number): Patience {
  const absence = createAbsence(patienceMs)
  return async (work) => {
    let waitMs = retryMs.first
    let mayBeDone = false
    for (let conflicts = 0; ; ) {
      const startedTick = performance.now()
      try {
        const result = await work()
        absence.ended()
        return result
      } catch (error) {
        const again = isConflict(error)
          ? ++conflicts < maxConflicts
          : isUnavailable(error) && absence.noted(startedTick) + waitMs < patienceMs
        mayBeDone ||= isUnanswered(error)
        if (!again) throw asUnanswered(explainFailure(error, place), mayBeDone)
      }
      await Bun.sleep(waitMs * (0.5 + Math.random()))
      waitMs = Math.min(waitMs * 2, retryMs.most)
    }
  }
}

const asUnanswered = (error: unknown, mayBeDone: boolean): unknown =>
  mayBeDone && error instanceof StoreError
    ? new UnansweredError(error.message, { cause: error })
    : error

/** Measures how long the server has been unavailable, as far as calls show. */
function createAbsence(patienceMs: number) {
  let sinceTick: number | undefined
  let lastTick = 0
  return {
    ended() {
      sinceTick = undefined
    },
    noted(startedTick: number): number {
      const now = performance.now()
      // Since the last call the server may have been available.
      if (sinceTick === undefined || startedTick - lastTick > patienceMs) sinceTick = startedTick
      lastTick = now
      return now - sinceTick
    },
  }
}
