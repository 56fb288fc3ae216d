import type {
  MovedKey,
  MovedRow,
  MovedTable,
  MovedValue,
  MoveSource,
  MoveTarget,
} from '../../store/ports/copies.ts'
import { openStore } from '../store-place.ts'
import { UserError } from '../user-error.ts'
import { type Progress, verifyAll } from '../verify/verify.ts'
import { columnsOf, createFitting, keyOf, nameOf, pagesOf, type StorePlace } from './rows.ts'

/** What is equal in both places. */
export interface ComparedTable {
  readonly table: string
  readonly rows: number
  /** Sums of money columns, in nano-USD. */
  readonly sumsNano: { readonly [column: string]: bigint }
  /** SHA-256 of all rows as lines of JSON, in order of the key. */
  readonly sha256: string
}

export interface Ends {
  readonly source: MoveSource
  readonly target: MoveTarget
}

/** Compares a table row by row in both places. Throws `UserError` at the first difference. */
export async function compareTable(
  table: MovedTable,
  ends: Ends,
  onRows: (count: number) => void,
): Promise<ComparedTable> {
  const { source, target } = ends
  const columns = await columnsOf(table, ends)
  const wanted = { table, columns }
  const fitting = createFitting(target.takesNul)
  const here = createSummary(table)
  const there = createSummary(table)
  let after: MovedKey | undefined
  for await (const page of pagesOf(source, { ...wanted, after })) {
    const moved = await target.rows({ ...wanted, after, limit: page.length })
    const lines = here.add(fitting.fit(table, page))
    const movedLines = there.add(moved)
    const odd = lines.findIndex((line, index) => line !== movedLines[index])
    if (odd !== -1) throw different(nameOf(table, page[odd] ?? {}), ends)
    after = keyOf(table, page.at(-1) ?? {})
    onRows(page.length)
  }
  const [extra] = await target.rows({ ...wanted, after, limit: 1 })
  if (extra) throw different(nameOf(table, extra), ends)
  const [one, other] = [here.result(), there.result()]
  if (!Bun.deepEquals(one, other)) throw different(table.name, ends)
  return one
}

const different = (name: string, { source, target }: Ends) =>
  new UserError(
    `${name} is not the same in ${source.place} and in ${target.place}: it was changed in the old ` +
      'place while it was being moved, or in the new one. Stop what works on them, and start over ' +
      'with --restart.',
  )

function createSummary({ name, money = [] }: MovedTable) {
  const hasher = new Bun.CryptoHasher('sha256')
  const sums = money.map((column) => ({ column, nano: 0n }))
  let count = 0
  return {
    add(rows: readonly MovedRow[]): readonly string[] {
      count += rows.length
      for (const sum of sums) for (const row of rows) sum.nano += BigInt(Number(row[sum.column]))
      const lines = rows.map(lineOf)
      for (const line of lines) hasher.update(line)
      return lines
    },
    result: (): ComparedTable => ({
      table: name,
      rows: count,
      sumsNano: Object.fromEntries(sums.map(({ column, nano }) => [column, nano])),
      sha256: hasher.digest('hex'),
    }),
  }
}

/** Bytes become a list with one text, which no text looks like. */
const lineOf = (row: MovedRow): string => `${JSON.stringify(Object.values(row).map(asJson))}\n`

const asJson = (value: MovedValue) => (value instanceof Uint8Array ? [value.toHex()] : value)

/** The result of verifying the target database. */
export type VerifiedMove = Awaited<ReturnType<typeof verifyMoved>>

export async function verifyMoved(place: StorePlace, onProgress: (progress: Progress) => void) {
  const store = await openStore({ synchronous: 'normal', ...place })
  try {
    return await verifyAll(store.verification, onProgress)
  } finally {
    await store.close()
  }
}
