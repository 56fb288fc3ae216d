import type { Sessions } from '../../admin/access.ts'
import { createRequestExport } from '../../admin/requests/export.ts'
import { createLiveRequests } from '../../admin/requests/live.ts'
import type { RequestServices } from '../../admin/requests/routes.ts'
import { createRequestService } from '../../admin/requests/service.ts'
import { hideUpstream } from '../../gateway/receipt.ts'
import type { ConsoleParts } from './app.ts'

/** What the console tells of requests, wired. */
export function createRequestServices(parts: ConsoleParts, sessions: Sessions): RequestServices {
  const { store, metrics, clock, log } = parts
  const { lists, records, admin: accounts } = store
  return {
    requests: createRequestService({
      ...{ lists, records, accounts },
      hideUpstream: (rows) => hideUpstream(rows, metrics.catalog()),
    }),
    requestExport: createRequestExport({ lists, accounts, clock, log }),
    liveRequests: createLiveRequests({ lists, accounts, sessions, log, repeat: parts.repeat }),
  }
}
