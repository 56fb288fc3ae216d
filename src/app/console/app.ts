import { type AnyElysia, Elysia } from 'elysia'
import { version } from '../../../package.json'
import { createGuard, type Sessions } from '../../admin/access.ts'
import { adminApi } from '../../admin/api.ts'
import { createAttemptService } from '../../admin/attempts/service.ts'
import type { ChannelGateway } from '../../admin/channels/service.ts'
import { createOverview } from '../../admin/overview/service.ts'
import type { SetupCode } from '../../admin/sign-in/setup-code.ts'
import { pageNotFound } from '../../gateway/errors.ts'
import type { InProcessCall } from '../../gateway/in-process.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Repeat } from '../../lib/repeat.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { StatusSource } from '../../site/status/pages.ts'
import type { CoolingRow } from '../../store/ports/health.ts'
import type { Store } from '../../store/ports/store.ts'
import type { Config } from '../config/config.ts'
import type { LiveCatalog } from '../live-catalog.ts'
import type { MetricsSource } from '../metrics-source.ts'
import { createAccounts } from './accounts.ts'
import { createCatalogServices } from './catalog.ts'
import { createConsoleFiles } from './files.ts'
import { createGatewayNow } from './gateway-now.ts'
import { createMaintenance } from './maintenance/service.ts'
import { createMeService } from './me.ts'
import { createPlayground } from './playground.ts'
import { createPriceService } from './prices/service.ts'
import { createRequestServices } from './requests.ts'
import { createSettings } from './settings.ts'
import { createConsoleSignIn } from './sign-in.ts'
import { createConsoleTokens } from './tokens.ts'

/** What the console works on. */
export interface ConsoleParts {
  readonly config: () => Config
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: MetricsSource
  /** Parts of channels that are left alone for a while. */
  readonly coolings: () => readonly CoolingRow[]
  readonly catalog: LiveCatalog
  /** How well requests are answered. */
  readonly status: StatusSource
  /** Answers a model request as its route does. */
  readonly askModel: (call: InProcessCall) => Promise<Response>
  /** Timers of live views; given by tests. */
  readonly repeat?: Repeat | undefined
  /** Who is signed in; given by tests that begin behind the sign-in. */
  readonly sessions?: Sessions | undefined
  /** To be called after each change by hand: the gateway follows it before this resolves. */
  readonly changed: () => Promise<void>
  readonly channels: ChannelGateway
  /** The code that makes the first administrator. */
  readonly setupCode: SetupCode
}

/** The connection that a request came by. */
export interface Peer {
  /** Of the socket's other end. */
  readonly address: string
  /** Sets how long it may be silent, in seconds; 0: for ever. */
  readonly limitSilence: (seconds: number) => void
}

/** The console and its API, wired. */
export interface ConsoleApp {
  /** Its API alone. */
  readonly api: AnyElysia
  handle(request: Request, peer: Peer): Promise<Response>
  /** Ends the live views. */
  close(): void
  stop(): Promise<void>
}

/** Builds the console once. Throws when its files can't be read. */
export async function createConsoleApp(parts: ConsoleParts): Promise<ConsoleApp> {
  const { config, store, log } = parts
  const peers = new WeakMap<Request, Peer>()
  const signIn = createConsoleSignIn(parts, {
    of: (request) => peers.get(request)?.address ?? '',
  })
  const origins = () => {
    const { baseUrl, overseasBaseUrl } = config().site
    return [baseUrl, overseasBaseUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin]))
  }
  const sessions = parts.sessions ?? signIn.sessions
  const guard = createGuard({ sessions, origins })
  const requests = createRequestServices(parts, sessions)
  const { passwordMatches } = signIn
  const maintenance = createMaintenance({ ...parts, passwordMatches })
  const services = {
    catalog: parts.metrics.catalog,
    lists: store.lists,
    accounts: createAccounts(parts),
    ...createCatalogServices(parts),
    maintenance,
    me: createMeService({ config, store, version }),
    overview: createOverview({
      ...{ store, clock: parts.clock },
      usuallyLowNano: () => config().settings.balanceLowThresholdNano,
      now: createGatewayNow({ ...parts, path: config().store.path }),
    }),
    playground: createPlayground({ ...parts, peerOf: (request) => peers.get(request) }),
    ...{ signIn, origins },
    tokens: createConsoleTokens(parts, signIn.passwordMatches),
    ...requests,
    attempts: createAttemptService(store.lists),
    prices: createPriceService(parts),
    settings: createSettings(parts),
  }
  const files = await createConsoleFiles()
  const api = adminApi(guard, services, log)
  const app = new Elysia({ strictPath: true })
    .onError(({ code }) => (code === 'NOT_FOUND' ? pageNotFound() : undefined))
    .use(api)
    .use(files.routes)
  return {
    api,
    handle(request, peer) {
      peers.set(request, peer)
      return app.handle(request)
    },
    close: () => requests.liveRequests.close(),
    async stop() {
      await requests.liveRequests.stop()
      await maintenance.stop()
    },
  }
}
