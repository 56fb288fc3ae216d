import type { Page } from '../../ports/verification.ts'

/** Rows in memory at once. */
export const pageRows = 1000

/** Lets signals and timers of the process have their turn between two pages. */
export const pause = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A span of row ids in steps, each an own short statement: from beyond `after` up to `to`. */
export function* idSteps(first: number, last: number, step: number) {
  for (let after = first - 1; after < last; after += step) {
    yield { after, to: Math.min(after + step, last) }
  }
}

/** Rows of one statement in pages. */
export function* inPages<Row>(rows: Iterable<Row>): Generator<Page<Row>> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < pageRows) continue
    yield { rows: page, looked: 0 }
    page = []
  }
  if (page.length > 0) yield { rows: page, looked: 0 }
}
