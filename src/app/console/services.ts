import { version } from '../../../package.json'
import type { AdminServices } from '../../admin/api.ts'
import { limitSessions } from '../../admin/session-limits.ts'
import { createAccounts } from './accounts.ts'
import { createCatalogServices } from './catalog.ts'
import { createMaintenance } from './maintenance/service.ts'
import { createMeService } from './me.ts'
import { createNodeService } from './nodes.ts'
import type { ConsoleParts, PeerOf } from './parts.ts'
import { createPlayground } from './playground.ts'
import { createPriceService } from './prices/service.ts'
import { createReadingServices, type GatewayFacts } from './reading/services.ts'
import { createRequestServices } from './requests.ts'
import { createSettings } from './settings.ts'
import { createConsoleSignIn } from './sign-in.ts'
import { createConsoleTokens } from './tokens.ts'

/** Makes the service of each resource, once. */
export function createServices(parts: ConsoleParts, facts: GatewayFacts, peerOf: PeerOf) {
  const { config, store, clock, log } = parts
  const signIn = createConsoleSignIn(parts, peerOf)
  const sessions = limitSessions(parts.sessions ?? signIn.sessions, parts.sessionTick)
  const { prove } = signIn
  const maintenance = createMaintenance({ ...parts, prove })
  const requests = createRequestServices(parts, sessions)
  const services: AdminServices = {
    ...requests,
    ...createReadingServices({ store, facts, clock, log }),
    ...createCatalogServices(parts),
    accounts: createAccounts(parts),
    catalog: parts.catalog.current,
    maintenance,
    me: createMeService({ config, store, version }),
    nodes: createNodeService(parts),
    origins: () => originsOf(config().site),
    ownPages: parts.ownPages,
    playground: createPlayground({ ...parts, peerOf }),
    prices: createPriceService(parts),
    settings: createSettings(parts),
    signIn,
    tokens: createConsoleTokens(parts, prove),
  }
  return {
    services,
    sessions,
    /** Ends the live views. */
    close: requests.liveRequests.close,
    async stop(): Promise<void> {
      await requests.liveRequests.stop()
      await maintenance.stop()
    },
  }
}

/** Where the console is opened, as the site says. */
const originsOf = ({ baseUrl, overseasBaseUrl }: ReturnType<ConsoleParts['config']>['site']) =>
  [baseUrl, overseasBaseUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin]))
