import type { RootOperationNode } from 'kysely'
import type { Fixed, Query } from './steps.ts'

/** Stands in a statement for a value that is given when it is asked. */
export class Given {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement of which only values change, for what is asked again and again: it is built once, and
 * put into a database's words once, which else take longer than the asking. `build` is called with
 * what stands for the values: it may put each where a value may be, and look at none.
 */
export function fixed<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (values: Values) => Query<Row>,
): (values: Values) => Fixed<Row> {
  const places = new Proxy({} as Values, { get: (_, name) => new Given(String(name)) })
  const node = build(places).toOperationNode() as RootOperationNode
  return (values) => ({ node, values })
}
