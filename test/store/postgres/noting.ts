import { createConnections } from '../../../src/store/postgres/connections.ts'
import { createEngine, createPatience } from '../../../src/store/postgres/engine.ts'
import { createSource, listSettings } from '../../../src/store/postgres/lists.ts'
import type { ListSource } from '../../../src/store/queries/lists/search.ts'
import type { Engine, Steps } from '../../../src/store/queries/steps.ts'
import { compile } from '../../../src/store/schema/sql.ts'

/** A statement that a list has asked, and how many rows came. */
export interface Asked {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly rows: number
}

/** A node of a plan, with what came of it. */
export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Lists of a database, with notes of what they ask; each answer comes so much later. */
export interface NotingSource extends AsyncDisposable {
  readonly source: ListSource
  readonly asked: Asked[]
  /** How the database goes about a statement: all nodes of the plan. */
  planOf(asked: Asked): Promise<readonly PlanNode[]>
}

export function createNotingSource(url: string, lateMs = 0): NotingSource {
  const connections = createConnections({ url, settings: listSettings })
  const engine = createEngine(connections, createPatience(connections, 2_000))
  const asked: Asked[] = []
  function* noted<Result>(steps: Steps<Result>): Steps<Result> {
    let step = steps.next()
    while (!step.done) {
      const { sql, parameters } = compile(step.value.query, 'postgres')
      const outcome = yield step.value
      asked.push({ sql, parameters, rows: outcome.rows.length })
      step = steps.next(outcome)
    }
    return step.value
  }
  const read: Engine['read'] = async (steps) => {
    const result = await engine.read(() => noted(steps()))
    await Bun.sleep(lateMs)
    return result
  }
  return {
    asked,
    source: createSource({ read }),
    async planOf({ sql, parameters }) {
      const text = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql}`
      const { rows } = await connections.query({ text, values: parameters })
      const [{ Plan: plan }] = JSON.parse(String(rows[0]?.['QUERY PLAN']))
      return nodesOf(plan)
    },
    [Symbol.asyncDispose]: connections.close,
  }
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
]
