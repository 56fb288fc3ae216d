import { Database, type SQLQueryBindings } from 'bun:sqlite'
import type { Engine, Statement, Steps } from '../../../../src/store/queries/steps.ts'
import { compile } from '../../../../src/store/schema/sql.ts'

export interface Asked {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly rows: number
}

export interface NotingEngine extends Pick<Engine, 'read'>, Disposable {
  readonly asked: Asked[]
}

/** Reads a file and notes what it was asked; each answer comes so much later. */
export function createNotingEngine(path: string, lateMs = 0): NotingEngine {
  const db = new Database(path, { readonly: true })
  const asked: Asked[] = []
  function perform(statement: Statement) {
    const { sql, parameters } = compile(statement.query, 'sqlite')
    using prepared = db.prepare<object, SQLQueryBindings[]>(sql)
    const rows = prepared.all(...(parameters as SQLQueryBindings[]))
    asked.push({ sql, parameters, rows: rows.length })
    const until = performance.now() + lateMs
    while (performance.now() < until);
    return { rows, changes: 0 }
  }
  return {
    asked,
    async read<Result>(work: () => Steps<Result>) {
      const steps = work()
      let step = steps.next()
      while (!step.done) step = steps.next(perform(step.value))
      return step.value
    },
    [Symbol.dispose]: () => db.close(),
  }
}
