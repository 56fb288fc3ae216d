import { type Catalog, catalogSteps } from '../catalog/catalog.ts'
import type { SecretBox } from '../lib/secrets.ts'
import { inSlices } from '../lib/slices.ts'
import { createTurns } from '../lib/turns.ts'
import type { CatalogRows } from '../store/ports/catalog.ts'
import type { Store } from '../store/ports/store.ts'

/** The catalog snapshot in force. */
export interface LiveCatalog {
  current(): Catalog
  /** The rows that it was built from: what is off or has no price, too. */
  rows(): CatalogRows
  /** Reads the store again and puts the new snapshot in force, whole. */
  reload(): Promise<void>
}

/** Loads the first snapshot; throws when the store can't be read or the secret is another one. */
export async function createLiveCatalog(store: Store, secrets: SecretBox): Promise<LiveCatalog> {
  const load = async () => {
    const rows = await store.catalog.load()
    const openKeys = (sealed: Uint8Array) => JSON.parse(secrets.open(sealed))
    return { rows, catalog: await inSlices(catalogSteps(rows, openKeys, secrets.open)) }
  }
  let live = await load()
  // What was read first must not come last.
  const inTurn = createTurns()
  return {
    current: () => live.catalog,
    rows: () => live.rows,
    reload: () =>
      inTurn(async () => {
        live = await load()
      }),
  }
}
