import { type AnyElysia, Elysia } from 'elysia'
import type { Catalog, Group } from '../catalog/catalog.ts'
import type { Gatekeeper } from '../gateway/admit/gatekeeper.ts'
import { GatewayError } from '../gateway/errors.ts'
import { requestSchemas } from '../gateway/serve/routes.ts'
import { version } from '../lib/build-info.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { inSlices } from '../lib/slices.ts'
import { createHostRules } from '../site/addresses.ts'
import { docsRoutes } from '../site/docs/routes.ts'
import { createFeedBuilder, type FeedSite } from '../site/feed/document.ts'
import { frameSiteOf } from '../site/frame-site.ts'
import { createFrontPages } from '../site/front/pages.ts'
import { browserPaths, frontRoutes } from '../site/front/routes.ts'
import { healthRoutes, type Readiness } from '../site/health.ts'
import { createLiveModels } from '../site/models/live-models.ts'
import { modelPageRoutes } from '../site/models/routes.ts'
import { encodePlaza } from '../site/plaza/document.ts'
import { createPublication, createSnapshots } from '../site/published.ts'
import {
  answerPage,
  feedPaths,
  feedRoutes,
  type PlazaCall,
  type PlazaParts,
  type PlazaRefusal,
  plazaRoutes,
  statusPagePath,
  statusPageRoutes,
  statusPath,
  statusRoutes,
} from '../site/routes.ts'
import { encodeSettings, settingsRoutes } from '../site/settings/settings.ts'
import { encodeStatus } from '../site/status/document.ts'
import { createStatusPages, type StatusSource } from '../site/status/pages.ts'
import { askerAt } from '../site/turns.ts'
import { type Member, mayUse } from '../store/ports/group-access.ts'
import type { DocumentStore } from '../store/ports/store.ts'
import type { Config } from './config/config.ts'
import { documentSchemas, schemaRoutes } from './schemas.ts'

interface SiteParts {
  readonly config: Config
  readonly catalog: () => Catalog
  /** Documents shared by all nodes; undefined: there is one node. */
  readonly documents: DocumentStore | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly plazaRefusal: PlazaParts['refusalOf']
  /** The client's address, as far as proxies are trusted. */
  readonly addressOf: (call: PlazaCall) => string
  readonly status: StatusSource
  readonly readiness: Readiness
}

/** The groups that the public documents show. */
export const shownGroups = ({ groups, openGroups }: Catalog, which: 'open' | 'all') =>
  which === 'all' ? groups : openGroups

/** Paths that a separate host for the feed or the status page serves. */
export const publicPaths = [...feedPaths, statusPath, statusPagePath, ...browserPaths]

/** The public pages, wired, and the timer that builds them. */
export function createSite(parts: SiteParts) {
  const { config, catalog, documents, clock, log, plazaRefusal, status, readiness } = parts
  const askerOf = (call: PlazaCall) => askerAt(parts.addressOf(call))
  const shared = (name: string) => documents && { documents, name }
  let { site, settings } = config
  let hosts = createHostRules(site, publicPaths)
  const hiddenFor = (account: Member, name?: string) => {
    const shown = plazaGroups()
    const isMeant = ([id, group]: readonly [number, Group]) =>
      !shown.has(id) && mayUse(group.accounts, account) && (name ?? group.name) === group.name
    return new Map([...catalog().groups].filter(isMeant))
  }
  const plazaGroups = () => shownGroups(catalog(), settings.plazaGroups)
  const feed = createPublication({
    name: 'price feed',
    build: createFeedBuilder({
      catalog: () => ({ groups: shownGroups(catalog(), settings.feedGroups) }),
      site: () => feedSite({ site, settings }),
      clock,
    }),
    ...{ shared: shared('feed'), clock, log },
  })
  const plaza = createPublication({
    name: 'model plaza',
    build: () => inSlices(encodePlaza({ groups: plazaGroups() }, site.plazaDescription ?? '')),
    ...{ shared: shared('plaza'), clock, log },
  })
  const publicSettings = createPublication({
    name: 'public settings',
    build: () => encodeSettings({ version, site, ...settings }, clock()),
    ...{ shared: shared('settings'), clock, log },
  })
  const snapshots = createSnapshots(
    [feed, plaza, publicSettings],
    settings.feedIntervalMs,
    documents,
  )
  /** As long as the configuration holds, the same: kept pages are compared by it. */
  let frame = frameSiteOf(config)
  const statusPages = createStatusPages({
    ...{ source: status, groups: plazaGroups, clock, log },
    site: () => ({ ...frame, linksTo: hosts.isApart ? (frame.origin ?? '') : '' }),
  })
  const liveModels = createLiveModels(plazaGroups)
  const front = createFrontPages({
    ...{ status, groups: plazaGroups, models: liveModels, clock, log },
    frame: () => frame,
    site: () => site,
    isOpen: () => settings.registrationEnabled,
    readText: (path) => Bun.file(path).text(),
  })
  const plazaSettings = () => ({
    isEnabled: settings.modelPlazaEnabled,
    needsKey: settings.modelPlazaRequireAuth,
  })
  const models = modelPageRoutes({
    ...{ source: status, groups: plazaGroups, models: liveModels, settings: plazaSettings, clock },
    askerOf,
    site: () => ({ frame, baseUrl: site.baseUrl, about: site.plazaDescription ?? '' }),
  })
  return {
    routes: new Elysia({ name: 'site' })
      .use(frontRoutes({ pages: front, frame: () => frame, askerOf }))
      .use(feedRoutes(feed))
      .use(plazaRoutes({ plaza, settings: plazaSettings, refusalOf: plazaRefusal }))
      .use(models)
      .use(settingsRoutes(publicSettings))
      .use(statusRoutes(statusPages))
      .use(statusPageRoutes(statusPages))
      .use(schemaRoutes(clock))
      .use(healthRoutes(readiness)),
    /** The plaza of the account's groups that the public plaza lacks. */
    plazaFor: (account: Member) => inSlices(encodePlaza({ groups: hiddenFor(account) }, '')),
    /** Their status; with `name` of that group alone, with all its models. */
    statusFor(account: Member, name: string | undefined) {
      const groups = hiddenFor(account, name)
      const onlyGroup = name === undefined ? undefined : groups.keys().next().value
      return status.look((figures) =>
        inSlices(encodeStatus({ groups, figures, nowMs: clock(), onlyGroup })),
      )
    },
    docs: (app: () => AnyElysia, consoleApi: () => Promise<AnyElysia>) =>
      docsRoutes({
        app,
        consoleApi,
        site: () => docsSite(site),
        frame: () => frameSiteOf({ site, settings }),
        configuration: async () => (await import('./config/reference.ts')).configReference(),
        errors: async () => (await import('./api-errors.ts')).apiErrors(),
        requests: requestSchemas,
        schemas: documentSchemas,
        askerOf,
        clock,
      }),
    isHidden: (request: Request) => hosts.isHidden(request),
    /** The status page at the root of its own host; undefined: another host or path. */
    front: (request: Request) =>
      hosts.isFront(request) ? answerPage(statusPages, request) : undefined,
    configure(changed: Config): void {
      ;({ site, settings } = changed)
      frame = frameSiteOf(changed)
      hosts = createHostRules(site, publicPaths)
      snapshots.setInterval(settings.feedIntervalMs)
      front.forget()
    },
    refresh: snapshots.refresh,
    async stop() {
      await snapshots.stop()
      await statusPages.idle()
      await front.idle()
    },
  }
}

function docsSite({ name, baseUrl, overseasBaseUrl }: Config['site']) {
  const addresses = [baseUrl, overseasBaseUrl].filter((address) => address !== null)
  return { name, version, addresses }
}

/** The feed's description of its site. */
export function feedSite({ site, settings }: Pick<Config, 'site' | 'settings'>): FeedSite {
  const domain = site.domain ?? (site.baseUrl === null ? '' : new URL(site.baseUrl).hostname)
  return { name: site.name, domain, currency: settings.feedCurrency }
}

/** Admits callers with a valid key to the plaza as the gateway would, whatever their balance. */
export function createPlazaAccess(gatekeeper: Gatekeeper) {
  return async (asked: PlazaCall): Promise<PlazaRefusal | undefined> => {
    const call = callOf(asked)
    try {
      gatekeeper.check(await gatekeeper.identify(call), call, false)
      return undefined
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return { status: error.status, message: error.message, reason: error.word }
    }
  }
}

const callOf = ({ request, server }: PlazaCall) => ({
  request,
  peer: () => server?.requestIP(request)?.address ?? '',
  geminiPath: false,
})

/** Where the sender of a request is, as the gateway sees it. */
export const createAddressOf =
  ({ address }: Pick<Gatekeeper, 'address'>) =>
  (call: PlazaCall): string =>
    address(callOf(call))
