import { checkVersion } from '../migrations/version.ts'
import { movedTables } from '../moving/tables.ts'
import { requireVersion, selectExtent } from '../moving/texts.ts'
import type { MoveSource, TableExtent } from '../ports/copies.ts'
import { silentNodeMs } from '../ports/nodes.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { readVersion } from './migrate.ts'
import {
  connectMove,
  createMoveReader,
  liveNodes,
  type MoveConnection,
} from './moving-connection.ts'

/**
 * Opens a database that is to be moved. No node may serve from it meanwhile. Throws `StoreError` with
 * the way out.
 */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  const connection = await connectMove(url)
  try {
    return await open(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function open(connection: MoveConnection): Promise<MoveSource> {
  const { place, identity, ask, close } = connection
  const version = await readVersion(connection, place)
  if (version === 0) throw new StoreError(`The database ${place} is empty: nothing is to be moved.`)
  checkVersion(version, place)
  requireVersion(version, place)
  await requireNoNodes(connection)
  // From the first reading on all is of one state.
  await ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const before = await readExtent(connection)
  return {
    place,
    identity,
    ...createMoveReader(connection),
    extent: async () => before,
    async sealedKeys() {
      const found = await ask(selectSealed)
      return found.map(([owner, sealed]) => ({
        owner: String(owner),
        sealed: sealed instanceof Uint8Array ? sealed : new Uint8Array(),
      }))
    },
    async isChanged() {
      await ask('COMMIT')
      if ((await liveNodes(connection, silentNodeMs)).length > 0) return true
      return !Bun.deepEquals(await readExtent(connection), before)
    },
    close,
  }
}

/** Throws when nodes serve from a database. */
export async function requireNoNodes(connection: MoveConnection): Promise<void> {
  const names = await liveNodes(connection, silentNodeMs)
  if (names.length === 0) return
  throw new StoreError(
    `Nodes serve from the database ${connection.place} (${names.join(', ')}): stop them first. One ` +
      `that was killed counts as gone after ${silentNodeMs / 1000} s.`,
  )
}

async function readExtent({ ask }: MoveConnection): Promise<readonly TableExtent[]> {
  const extent: TableExtent[] = []
  for (const table of movedTables) {
    const [[rows, newest] = []] = await ask(selectExtent(table))
    extent.push({
      table: table.name,
      rows: Number(rows),
      newest: typeof newest === 'number' ? newest : null,
    })
  }
  return extent
}
