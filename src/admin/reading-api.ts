import { Elysia } from 'elysia'
import type { ListStore } from '../store/ports/lists.ts'
import type { Guard } from './access.ts'
import type { AccountLists } from './accounts/lists.ts'
import { accountListRoutes } from './accounts/routes.ts'
import { type AttemptService, attemptRoutes } from './attempts/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { type LedgerService, ledgerRoutes } from './ledger/routes.ts'
import { gatewayOverviewRoutes, overviewRoutes } from './overview/routes.ts'
import type { OverviewService } from './overview/service.ts'
import { allRequestRoutes, type RequestServices, requestRoutes } from './requests/routes.ts'
import type { TokenLists } from './tokens/lists.ts'
import { accountTokenListRoutes, tokenListRoutes } from './tokens/routes.ts'

/** The state as a tollgate.yaml without secrets; the signal aborts it. */
export type ConfigExport = (signal: AbortSignal) => Promise<Response>

const description = 'The present state as a tollgate.yaml, without secrets'

const configExportRoutes = (guard: Guard, exportConfig: ConfigExport) =>
  new Elysia({ name: 'admin.config-export', prefix: '/api/v1/admin' })
    .use(guard('admin'))
    .get('/config.yaml', ({ request }) => exportConfig(request.signal), {
      detail: {
        ...{ tags: ['Administration'], summary: description },
        responses: { 200: { description } },
      },
    })

export interface ReadingServices extends RequestServices {
  readonly accountLists: AccountLists
  readonly attempts: AttemptService
  readonly configExport: ConfigExport
  readonly ledger: LedgerService
  readonly lists: Pick<ListStore, 'audit'>
  readonly overview: OverviewService
  readonly tokenLists: TokenLists
}

/** Lists, charts and exports of the console's API; another process may answer them. */
export const readingApi = (guard: Guard, services: ReadingServices) =>
  new Elysia({ name: 'admin.reading', strictPath: true })
    .use(accountListRoutes(guard, services.accountLists))
    .use(accountTokenListRoutes(guard, services.tokenLists))
    .use(allRequestRoutes(guard, services))
    .use(attemptRoutes(guard, services.attempts))
    .use(auditRoutes(guard, services.lists))
    .use(configExportRoutes(guard, services.configExport))
    .use(gatewayOverviewRoutes(guard, services.overview))
    .use(ledgerRoutes(guard, services.ledger))
    .use(overviewRoutes(guard, services.overview))
    .use(requestRoutes(guard, services))
    .use(tokenListRoutes(guard, services.tokenLists))
