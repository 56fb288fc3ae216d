import { rmSync } from 'node:fs'
import { removeLeftBehind } from '../../lib/draft-file.ts'
import type { Logger } from '../../lib/log.ts'
import type { StoreFile } from '../../store/ports/store.ts'
import { copiesOf, copyPath } from '../../store/sqlite/file.ts'

/** So many gateways have served from an upgraded database and ended in order, before it is trusted. */
const runsBefore = 2

/**
 * Removes the copies of a database as it was before upgrades, when the new one has been served from
 * twice to a good end: at the third start, that is. To be called once this gateway is up.
 */
export async function removeCopies(file: StoreFile, log: Logger): Promise<void> {
  removeLeftBehind(copyPath(file.path))
  const copies = copiesOf(file.path)
  if (copies.length === 0 || ((await file.endedRuns()) ?? 0) < runsBefore) return
  for (const copy of copies) {
    try {
      rmSync(copy)
      log.info('the copy of the database as it was before the upgrade is removed', { file: copy })
    } catch (error) {
      log.warn('a copy of the database could not be removed', { file: copy, error: String(error) })
    }
  }
}
