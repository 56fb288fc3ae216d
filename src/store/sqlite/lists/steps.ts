import type { Steps } from '../../queries/steps.ts'
import { compileQuery } from '../engine.ts'
import type { SqlValue } from '../thread.ts'
import type { Reader } from './reader.ts'
import type { Key } from './search.ts'

/** Runs steps that only read. */
export async function readSteps<Result>(reader: Reader, steps: Steps<Result>): Promise<Result> {
  let step = steps.next()
  while (!step.done) {
    const { sql, parameters } = compileQuery(step.value.node)
    const rows = await reader.all(sql, parameters as readonly SqlValue[])
    step = steps.next({ rows, changes: 0 })
  }
  return step.value
}

/** The row ids that were found. */
export const idsOf = (keys: readonly Key[]): readonly number[] => keys.map(({ id }) => id)
