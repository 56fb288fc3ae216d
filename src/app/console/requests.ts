import type { Sessions } from '../../admin/access.ts'
import { createDiagnosis } from '../../admin/diagnosis/service.ts'
import { createLiveRequests } from '../../admin/requests/live.ts'
import { statusLink } from '../../site/addresses.ts'
import type { ConsoleParts } from './parts.ts'

/** What the console tells of requests as they end and of why they failed, wired. */
export function createRequestServices(parts: ConsoleParts, sessions: Sessions) {
  const { store, metrics, clock, log } = parts
  const { lists, records, admin: accounts } = store
  return {
    diagnosis: createDiagnosis({
      ...{ lists, records, accounts, clock },
      availability: store.availability,
      look: (work) => parts.status.look(async (figures) => work(figures)),
      catalog: metrics.catalog,
      showsGroups: () => parts.config().settings.modelPlazaEnabled,
      statusUrl: () => statusLink(parts.config().site),
    }),
    liveRequests: createLiveRequests({ lists, accounts, sessions, log, repeat: parts.repeat }),
  }
}
