import { PostgresQueryCompiler } from 'kysely'
import {
  createCompile,
  type Engine,
  type Outcome,
  type Statement,
  type Steps,
} from '../queries/steps.ts'
import type { Connection, Connections } from './connections.ts'
import { isConflict } from './failures.ts'
import type { Patience } from './patience.ts'
import { inTransaction } from './transaction.ts'

/** After so many times a writer lets no request change an account until it is done itself. */
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

const compile = createCompile(new PostgresQueryCompiler())

async function perform(connection: Connection, statement: Statement): Promise<Outcome> {
  const { sql, parameters } = compile(statement)
  const { rows, rowCount } = await connection.query({ text: sql, values: parameters })
  return statement.wants === 'rows' ? { rows, changes: 0 } : { rows: [], changes: rowCount ?? 0 }
}
