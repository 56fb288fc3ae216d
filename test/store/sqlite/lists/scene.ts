import type { Listed, PageAsked } from '../../../../src/store/ports/lists.ts'
import type { Store } from '../../../../src/store/ports/store.ts'
import { createThreadReader, type Reader } from '../../../../src/store/sqlite/lists/reader.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/open.ts'
import { makeDatabase } from '../../../app/verify/scene.ts'
import { now, temporaryDirectory } from '../../support.ts'

/** A store in a file with requests of every kind. */
export interface MadeStore extends AsyncDisposable {
  readonly path: string
  readonly store: Store
}

export async function createMadeStore(count: number): Promise<MadeStore> {
  const directory = temporaryDirectory()
  const path = directory.file('made.db')
  await makeDatabase(path, count)
  const store = openSqliteStore({ path, clock: () => now })
  return {
    path,
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      directory[Symbol.dispose]()
    },
  }
}

/** All rows of a list, page by page. Throws when a page is larger than asked for. */
export async function readPages<Row>(
  list: (page: PageAsked) => Promise<Listed<Row>>,
  size: number,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  while (true) {
    const page = await list({ cursor, size })
    if (page.rows.length > size) throw new Error(`${page.rows.length} rows, not ${size}`)
    rows.push(...page.rows)
    if (page.next === null) return rows
    cursor = page.next
  }
}

export interface Asked {
  readonly sql: string
  readonly parameters: Parameters<Reader['all']>[1]
  readonly rows: number
}

/** A reader of a file that notes what it was asked; each answer comes so much later. */
export function createNotingReader(path: string, lateMs = 0): Reader & { readonly asked: Asked[] } {
  const reader = createThreadReader(path, 60_000)
  const asked: Asked[] = []
  return {
    asked,
    async all<Row>(sql: string, parameters: Asked['parameters']) {
      const rows = await reader.all<Row>(sql, parameters)
      asked.push({ sql, parameters, rows: rows.length })
      const until = performance.now() + lateMs
      while (performance.now() < until);
      return rows
    },
    close: () => reader.close(),
  }
}
