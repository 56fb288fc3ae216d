import type { Engine } from './engine.ts'
import type { Steps } from './steps.ts'

/** Rows that an export holds in memory at once. */
export const pageSize = 1000

/** The last row of a page: the next one begins after it. */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** Reads rows page by page, and lets other work of the process run between two pages. */
export async function* readPages<Row extends Position>(
  { read }: Engine,
  since: number,
  readPage: (after: Position) => Steps<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let after: Position = { createdAt: since, id: 0 }
  while (true) {
    const page = await read(() => readPage(after))
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
    await new Promise((resolve) => setImmediate(resolve))
  }
}
