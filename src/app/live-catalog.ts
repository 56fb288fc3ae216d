import { buildCatalog, type Catalog } from '../catalog/catalog.ts'
import type { SecretBox } from '../lib/secrets.ts'
import type { Store } from '../store/ports/store.ts'

/** The catalog snapshot in force. */
export interface LiveCatalog {
  current(): Catalog
  /** Reads the store again and puts the new snapshot in force, whole. */
  reload(): Promise<void>
}

/** Loads the first snapshot; throws when the store can't be read or the secret is another one. */
export async function createLiveCatalog(store: Store, secrets: SecretBox): Promise<LiveCatalog> {
  const load = async () =>
    buildCatalog(
      await store.catalog.load(),
      (sealed) => JSON.parse(secrets.open(sealed)),
      secrets.open,
    )
  let catalog = await load()
  return {
    current: () => catalog,
    async reload() {
      catalog = await load()
    },
  }
}
