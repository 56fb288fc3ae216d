import {
  type CompiledQuery,
  createQueryId,
  type QueryCompiler,
  type RootOperationNode,
} from 'kysely'
import { Given } from './fixed.ts'
import type { Statement } from './steps.ts'

/** A statement in the words of one database. */
type Words = Pick<CompiledQuery, 'sql' | 'parameters'>

/** Puts statements into the words of a database; those that are built once are put there once. */
export function createCompile(compiler: QueryCompiler) {
  const known = new WeakMap<RootOperationNode, CompiledQuery>()

  function wordsOf(node: RootOperationNode): CompiledQuery {
    const before = known.get(node)
    if (before) return before
    const words = compiler.compileQuery(node, createQueryId())
    known.set(node, words)
    return words
  }

  return ({ node, values }: Pick<Statement, 'node' | 'values'>): Words => {
    if (values === undefined) return compiler.compileQuery(node, createQueryId())
    const { sql, parameters } = wordsOf(node)
    return {
      sql,
      parameters: parameters.map((one) => (one instanceof Given ? values[one.name] : one)),
    }
  }
}
