import type { Clock } from '../../lib/clock.ts'
import type { ReadingStore } from '../ports/store.ts'
import { createAdminStore, createEdits } from '../queries/admin.ts'
import { createLists } from '../queries/lists/store.ts'
import { createRecordReading } from '../queries/requests.ts'
import { createConnections } from './connections.ts'
import { createEngine } from './engine.ts'
import { createSource, listConnections, listSettings } from './lists/source.ts'
import { createPatience } from './patience.ts'

/** How long reading waits for a server that is away. */
const patienceMs = 5_000

/** For a process that does nothing else than read from a database; makes no connection yet. */
export function openPostgresReading({ url }: { url: string }, clock: Clock): ReadingStore {
  const connections = createConnections({
    ...{ url, settings: listSettings },
    // One more than lists take: a receipt waits for none of them.
    connections: listConnections + 1,
  })
  const engine = createEngine(connections, createPatience(connections, patienceMs))
  return {
    lists: createLists({ source: createSource(engine), clock }),
    records: createRecordReading(engine),
    admin: createAdminStore({ engine, clock }),
    edits: createEdits({ engine, clock }),
    close: connections.close,
  }
}
