import type { CatalogRows, CatalogStore } from '../ports/catalog.ts'
import { type EditableCatalog, mostTokensCounted } from '../ports/edits.ts'
import { sql } from '../schema/sql.ts'
import { channelRevision, channelRows, readChannel } from './channels.ts'
import { groupRevision, groupRows, loadChannelNames, loadGroups, readGroup } from './groups.ts'
import { countTokens } from './names.ts'
import { loadPriceHistory, loadPrices } from './prices.ts'
import { type Engine, first, type Steps } from './steps.ts'

export const createCatalogStore = ({ read, snapshot }: Engine): CatalogStore => ({
  load: () => snapshot(loadCatalog),
  priceHistory: (model) => read(() => loadPriceHistory(model)),
  oldestSealed: () => read(findOldestSealed),
})

function* loadCatalog(): Steps<CatalogRows> {
  return {
    channels: (yield* channelRows()).map(readChannel),
    groups: yield* loadGroups(),
    prices: yield* loadPrices(),
  }
}

function* findOldestSealed(): Steps<Uint8Array | undefined> {
  const oldest = (column: string, table: string) =>
    first(
      sql<{ sealed: Uint8Array }>`SELECT ${sql.raw(column)} AS sealed FROM ${sql.raw(table)}
        WHERE deleted_at IS NULL ORDER BY id LIMIT 1`,
    )
  const found = (yield* oldest('keys_sealed', 'channel')) ?? (yield* oldest('key_sealed', 'token'))
  return found?.sealed
}

/** The editable catalog. */
export function* loadEditable(): Steps<EditableCatalog> {
  const channels = yield* channelRows()
  return {
    channels: channels.map((row) => ({
      ...readChannel(row),
      revision: channelRevision(row),
      createdAt: row.created_at,
    })),
    groups: yield* loadEditableGroups(),
    prices: yield* loadPrices(),
  }
}

function* loadEditableGroups(): Steps<EditableCatalog['groups']> {
  const names = yield* loadChannelNames()
  const groups: EditableCatalog['groups'][number][] = []
  for (const row of yield* groupRows()) {
    const channels = names.get(row.id) ?? []
    groups.push({
      ...readGroup(row, channels),
      revision: groupRevision(row, channels),
      createdAt: row.created_at,
      tokenCount: yield* countTokens('group_id', row.id, mostTokensCounted),
    })
  }
  return groups
}

/** Keys of all channels and of the newest tokens, each with whose it is, in words of every engine. */
export const selectSealed = `
SELECT 'channel "' || name || '"' AS owner, keys_sealed AS sealed
FROM channel WHERE deleted_at IS NULL
UNION ALL SELECT * FROM (
  SELECT 'token ' || id, key_sealed FROM token WHERE deleted_at IS NULL ORDER BY id DESC LIMIT 100
) AS newest`
