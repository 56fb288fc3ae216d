import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { realpathSync, statSync } from 'node:fs'
import { selectRows } from '../moving/texts.ts'
import type { MovedRow, MovePlace } from '../ports/copies.ts'
import { explained } from './failures.ts'

/** The same for one file, whatever it is called. */
export function identityOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `file ${dev}:${ino === 0 ? realpathSync(path) : ino}`
}

/** Reads what is moved. */
export function createMoveReader(db: Database, path: string): Pick<MovePlace, 'columns' | 'rows'> {
  const statements = new Map<string, Statement>()
  function prepared(text: string): Statement {
    const known = statements.get(text) ?? db.prepare(text)
    statements.set(text, known)
    return known
  }
  return {
    async columns({ name, without = [] }) {
      const found = prepared('SELECT name FROM pragma_table_info(?) ORDER BY name').values(name)
      return found.map(([column]) => String(column)).filter((column) => !without.includes(column))
    },
    async rows({ table, columns, after, limit }) {
      const text = selectRows(table, columns, after === undefined, (number) => `?${number}`)
      const values = [...(after ?? []), limit] as SQLQueryBindings[]
      return explained(path, () => prepared(text).values(...values)) as unknown as MovedRow[]
    },
  }
}
