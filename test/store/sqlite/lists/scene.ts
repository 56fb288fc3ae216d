import { createThreadReader, type Reader } from '../../../../src/store/sqlite/lists.ts'

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
