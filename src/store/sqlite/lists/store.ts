import type { Clock } from '../../../lib/clock.ts'
import type { ListStore } from '../../ports/lists.ts'
import { createLists } from '../../queries/lists/store.ts'
import type { Reader } from './reader.ts'
import { createSource } from './source.ts'

/** Lists, charts and exports, read away from the thread that answers requests. */
export const createListStore = ({
  reader,
  clock,
}: {
  readonly reader: Reader
  readonly clock: Clock
}): ListStore => createLists({ source: createSource(reader), clock })
