import { movedTables } from '../../store/moving/move.ts'
import type { MovedSoFar, MovedTable, TableExtent } from '../../store/ports/copies.ts'
import { findMoveSecret, type MoveSecret, placeSecret } from '../backup/secret.ts'
import { describeWaiting } from '../spool.ts'
import { usualSpool } from '../store-place.ts'
import { UserError } from '../user-error.ts'
import { type ComparedTable, compareTable, type Ends } from './compare.ts'
import {
  columnsOf,
  createFitting,
  type Fitting,
  keyOf,
  openSource,
  openTarget,
  pagesOf,
  type StorePlace,
} from './rows.ts'

export interface MoveOptions {
  readonly source: StorePlace
  readonly target: StorePlace
  readonly isRestarted: boolean
  readonly onProgress?: (progress: MoveProgress) => void
}

interface MoveProgress {
  readonly part: 'moving rows' | 'comparing rows' | 'finishing'
  readonly done: number
  readonly total: number
}

export interface Moved {
  readonly source: string
  readonly target: string
  /** Rows of all tables, and those that an earlier run moved. */
  readonly rows: number
  readonly resumedRows: number
  readonly tables: readonly ComparedTable[]
  readonly secret: MoveSecret
  /** Rows with replaced texts, and the first of them by name. */
  readonly replacedTotal: number
  readonly replaced: readonly string[]
}

/** Moves all rows into an empty store and compares them. An aborted run can be repeated. */
export async function move(options: MoveOptions): Promise<Moved> {
  requireNothingWaiting(options.source)
  const source = await openSource(options.source)
  try {
    const secret = findMoveSecret(options.source, options.target, await source.sealedKeys())
    const target = await openTarget(options.target, source)
    try {
      await placeSecret(secret, options.target)
      return { ...(await moveInto({ source, target }, options)), secret }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** The new place has another spool: charges waiting in the old one would never be stored. */
function requireNothingWaiting(place: StorePlace): void {
  if (place.engine !== 'sqlite') return
  const { path } = place
  const waiting = describeWaiting({ path, synchronous: 'normal', spool: usualSpool(path) })
  if (waiting !== undefined) throw new UserError(waiting)
}

async function moveInto(
  ends: Ends,
  { isRestarted, onProgress }: MoveOptions,
): Promise<Omit<Moved, 'secret'>> {
  const { source, target } = ends
  const extent = await source.extent()
  const soFar = await begin(ends, extent, isRestarted)
  const resumedRows = soFar?.rows ?? 0
  const rows = extent.reduce((sum, table) => sum + table.rows, 0)
  const fitting = createFitting(target.takesNul)
  await moveRows(ends, { soFar, fitting, total: rows, onProgress })
  const tables = await compareAll(ends, rows, onProgress)
  if (await source.isChanged()) throw changed(source.place)
  onProgress?.({ part: 'finishing', done: 0, total: 0 })
  await target.finish()
  const { replaced, replacedTotal } = fitting
  return {
    source: source.place,
    target: target.place,
    rows,
    resumedRows,
    tables,
    replaced,
    replacedTotal,
  }
}

/** Marks an empty target; returns the progress of an earlier run. */
async function begin(
  { source, target }: Ends,
  extent: readonly TableExtent[],
  isRestarted: boolean,
): Promise<MovedSoFar | undefined> {
  const { begun } = target
  if (begun !== undefined && !isRestarted) {
    if (begun.source !== source.identity)
      throw new UserError(
        `${target.place} holds the unfinished rest of moving another database, not ${source.place}. ` +
          'Give that one, or start over with --restart.',
      )
    if (!Bun.deepEquals(begun.extent, extent)) throw changed(source.place)
    return begun.soFar
  }
  if (begun !== undefined) await target.clear()
  await target.begin({ source: source.identity, extent })
  return undefined
}

const changed = (place: string) =>
  new UserError(
    `${place} has changed since its rows began to be moved. Stop what works on it, and begin anew ` +
      'with --restart.',
  )

interface MovingRows {
  readonly soFar: MovedSoFar | undefined
  readonly fitting: Fitting
  readonly total: number
  readonly onProgress: MoveOptions['onProgress']
}

async function moveRows(ends: Ends, { soFar, fitting, total, onProgress }: MovingRows) {
  const { source, target } = ends
  const before = soFar?.rows ?? 0
  let rows = before
  const tell = () =>
    onProgress?.({ part: 'moving rows', done: rows - before, total: total - before })
  for (const table of tablesFrom(soFar)) {
    const wanted = { table, columns: await columnsOf(table, ends) }
    const after = table.name === soFar?.table ? soFar.after : undefined
    for await (const page of pagesOf(source, { ...wanted, after })) {
      rows += page.length
      const reached = { table: table.name, after: keyOf(table, page.at(-1) ?? {}), rows }
      await target.append(table, fitting.fit(table, page), reached)
      tell()
    }
  }
}

/** Tables that are not moved yet, the started one first. */
function tablesFrom(soFar: MovedSoFar | undefined): readonly MovedTable[] {
  const at = movedTables.findIndex(({ name }) => name === soFar?.table)
  return movedTables.slice(Math.max(at, 0))
}

async function compareAll(
  ends: Ends,
  total: number,
  onProgress: MoveOptions['onProgress'],
): Promise<readonly ComparedTable[]> {
  let done = 0
  const compared: ComparedTable[] = []
  for (const table of movedTables) {
    const onRows = (count: number) => {
      done += count
      onProgress?.({ part: 'comparing rows', done, total })
    }
    compared.push(await compareTable(table, ends, onRows))
  }
  return compared
}
