import type { BilledRow } from '../../store/ports/matching.ts'
import { UserError } from '../instance.ts'
import type { Columns, FieldName } from './columns.ts'
import {
  type Cell,
  type Moment,
  readCost,
  readId,
  readMoment,
  readTokens,
  UnreadableCell,
} from './columns.ts'
import type { Row, UsageFile } from './usage-file.ts'

/** A row of the file as it is compared; undefined without an id. */
export interface ReadRow {
  readonly billed: BilledRow | undefined
  readonly moment: Moment | null
}

/** A reader of rows. It throws a `UserError` that names the row, the column and the value at fault. */
export function createRowReader(
  path: string,
  { columns: names, decimalComma }: UsageFile,
  columns: Columns,
): (row: Row) => ReadRow {
  const costName = names[columns.cost ?? -1] ?? ''
  const costForm = { decimalComma, unit: /nano$/i.test(costName) ? 'nano' : 'usd' } as const
  let number = 0

  return (row) => {
    number++
    const read = <Value>(field: FieldName, parse: (cell: Cell | undefined) => Value): Value => {
      const column = columns[field]
      const cell = column === undefined ? undefined : row(column)
      try {
        return parse(cell)
      } catch (cause) {
        if (!(cause instanceof UnreadableCell)) throw cause
        throw new UserError(
          `${path}, row ${number}, column ${JSON.stringify(names[column ?? -1])}: ` +
            `${JSON.stringify(cell)} ${cause.message}. Put it right, or name another column with ` +
            `--${field}-column.`,
          { cause },
        )
      }
    }
    const id = read('id', readId)
    if (id === undefined) return { billed: undefined, moment: null }
    const moment = read('time', readMoment)
    const billed = {
      id,
      time: moment?.from ?? null,
      inputTokens: read('input', readTokens),
      outputTokens: read('output', readTokens),
      cachedTokens: read('cached', readTokens),
      costNano: read('cost', (cell) => readCost(cell, costForm)),
    }
    return { billed, moment }
  }
}
