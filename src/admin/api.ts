import { Elysia } from 'elysia'
import type { Logger } from '../lib/log.ts'
import type { Guard } from './access.ts'
import type { AccountRecovery } from './accounts/recovery.ts'
import { accountRecoveryRoutes, accountRoutes } from './accounts/routes.ts'
import type { AccountService } from './accounts/service.ts'
import { channelRoutes } from './channels/routes.ts'
import type { ChannelService } from './channels/service.ts'
import { anyDiagnosisRoutes, diagnosisRoutes } from './diagnosis/routes.ts'
import type { DiagnosisService } from './diagnosis/service.ts'
import { renderError } from './errors.ts'
import { groupRoutes } from './groups/routes.ts'
import type { GroupService } from './groups/service.ts'
import { type MaintenanceService, maintenanceRoutes } from './maintenance/routes.ts'
import { type MeService, meRoutes } from './me/routes.ts'
import { type NodeService, nodeRoutes } from './nodes/routes.ts'
import { type OwnPages, openGroupRoutes } from './open-groups/routes.ts'
import type { GroupViews } from './open-groups/views.ts'
import { type Playground, playgroundRoutes } from './playground/routes.ts'
import { type PriceService, priceRoutes } from './prices/routes.ts'
import { type ReadingServices, readingApi } from './reading-api.ts'
import type { LiveRequests } from './requests/live.ts'
import { allLiveRequestRoutes, liveRequestRoutes } from './requests/routes.ts'
import { type SettingService, settingRoutes } from './settings/routes.ts'
import { ownSignInRoutes, setupRoutes, signInRoutes } from './sign-in/routes.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import { accountTokenRoutes, tokenRoutes } from './tokens/routes.ts'
import type { TokenService } from './tokens/service.ts'

export interface AdminServices extends ReadingServices {
  readonly accounts: AccountService
  readonly accountRecovery: AccountRecovery
  readonly channels: ChannelService
  readonly diagnosis: DiagnosisService
  readonly groups: GroupService
  readonly liveRequests: LiveRequests
  readonly maintenance: MaintenanceService
  readonly me: MeService
  readonly nodes: NodeService
  readonly openGroups: GroupViews
  readonly origins: () => readonly string[]
  readonly ownPages: OwnPages
  readonly playground: Playground
  readonly prices: PriceService
  readonly settings: SettingService
  readonly signIn: SignIn
  readonly tokens: TokenService
}

/** The console's API; unknown paths are left to the app around it. */
export const adminApi = (guard: Guard, services: AdminServices, log: Logger) =>
  new Elysia({ name: 'admin', strictPath: true })
    .onError(({ code, error, request }) =>
      code === 'NOT_FOUND' ? undefined : renderError({ code, error, request }, log),
    )
    .use(accountRecoveryRoutes(guard, services.accountRecovery))
    .use(accountRoutes(guard, services.accounts))
    .use(accountTokenRoutes(guard, services.tokens))
    .use(allLiveRequestRoutes(guard, services.liveRequests))
    .use(anyDiagnosisRoutes(guard, services.diagnosis))
    .use(channelRoutes(guard, services.channels))
    .use(diagnosisRoutes(guard, services.diagnosis))
    .use(groupRoutes(guard, services.groups))
    .use(liveRequestRoutes(guard, services.liveRequests))
    .use(maintenanceRoutes(guard, services.maintenance))
    .use(meRoutes(guard, services.me))
    .use(nodeRoutes(guard, services.nodes))
    .use(openGroupRoutes(guard, services.openGroups, services.ownPages))
    .use(ownSignInRoutes(guard, services.signIn))
    .use(playgroundRoutes(guard, services.playground))
    .use(priceRoutes(guard, services.prices))
    .use(readingApi(guard, services))
    .use(settingRoutes(guard, services.settings))
    .use(setupRoutes(services.signIn, services.origins))
    .use(signInRoutes(services.signIn, services.origins))
    .use(tokenRoutes(guard, services.tokens))

/** The type that the console's calls are checked against. */
export type AdminApi = ReturnType<typeof adminApi>
