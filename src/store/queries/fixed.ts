import type { RootOperationNode } from 'kysely'
import type { Fixed, Query } from './steps.ts'

/** Stands in a statement for a value that is given when it is asked. */
export class Given {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const misused = () => {
  throw new Error(
    'A value of a fixed statement is named where it stands; there is no list of them.',
  )
}

/** Something else than a value's name that is asked for would be built without it. */
const places: ProxyHandler<object> = {
  get: (_, name) => (typeof name === 'string' ? new Given(name) : misused()),
  has: misused,
  ownKeys: misused,
}

/**
 * A statement of which only values change, for what is asked again and again: it is built once, and
 * put into a database's words once, which else take longer than the asking. `build` is called with
 * what stands for the values: it may put each where a value may be, and look at none.
 */
export function fixed<Values extends Readonly<Record<string, unknown>>, Row>(
  build: (values: Values) => Query<Row>,
): (values: Values) => Fixed<Row> {
  const node = build(new Proxy({}, places) as Values).toOperationNode() as RootOperationNode
  return (values) => ({ node, values })
}
