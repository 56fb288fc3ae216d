import type { Sessions } from '../../admin/access.ts'
import { createDiagnosis } from '../../admin/diagnosis/service.ts'
import { createRequestExport } from '../../admin/requests/export.ts'
import { createLiveRequests } from '../../admin/requests/live.ts'
import { createRequestService } from '../../admin/requests/service.ts'
import { hideUpstream } from '../../gateway/receipt.ts'
import type { ConsoleParts } from './parts.ts'

/** What the console tells of requests, wired. */
export function createRequestServices(parts: ConsoleParts, sessions: Sessions) {
  const { store, metrics, clock, log } = parts
  const { lists, records, admin: accounts } = store
  return {
    requests: createRequestService({
      ...{ lists, records, accounts },
      hideUpstream: (rows) => hideUpstream(rows, metrics.catalog()),
    }),
    requestExport: createRequestExport({ lists, accounts, clock, log }),
    diagnosis: createDiagnosis({
      ...{ lists, records, accounts, clock },
      availability: store.availability,
      look: (work) => parts.status.look(async (figures) => work(figures)),
      catalog: metrics.catalog,
      showsGroups: () => parts.config().settings.modelPlazaEnabled,
      statusUrl: () => parts.config().site.statusUrl ?? '/status',
    }),
    liveRequests: createLiveRequests({ lists, accounts, sessions, log, repeat: parts.repeat }),
  }
}
