import type { Sessions } from '../admin/access.ts'
import { createSetupCode } from '../admin/sign-in/setup.ts'
import { type Authenticator, createAuthenticator } from '../gateway/admit/authenticate.ts'
import { createGatekeeper } from '../gateway/admit/gatekeeper.ts'
import { createKnownKeys, createStrangers } from '../gateway/admit/known-keys.ts'
import { createPlaces } from '../gateway/admit/places.ts'
import { createAvailability } from '../gateway/availability/availability.ts'
import { createBackground } from '../gateway/background/background.ts'
import { withinMemory } from '../gateway/beside/job.ts'
import { createForwarder } from '../gateway/forward.ts'
import { createLimiter } from '../gateway/limits/limiter.ts'
import { createSharedLimiter } from '../gateway/limits/shared-limiter.ts'
import { createMediaFetcher } from '../gateway/media/fetch-media.ts'
import { createCommitter } from '../gateway/money/committer.ts'
import { createLowBalanceWarning, createOverdraftWarning } from '../gateway/money/overdraft.ts'
import { createReservations } from '../gateway/money/reservations.ts'
import { createOutbound } from '../gateway/outbound/outbound.ts'
import { createOwnResponses } from '../gateway/own-responses/own-responses.ts'
import { createHeartbeats, type HeartbeatTimes } from '../gateway/relay/heartbeat.ts'
import { createWatchdog } from '../gateway/relay/watchdog.ts'
import { createRefusalLimit, createRefusalLog } from '../gateway/request-log.ts'
import { createNotOffered } from '../gateway/serve/published-paths.ts'
import { createInProcess, modelRoutes } from '../gateway/serve/routes.ts'
import { createSockets } from '../gateway/socket/sockets.ts'
import { type Clock, createRunningClock, type Repeat, utcDay } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { SecretBox } from '../lib/secrets.ts'
import { createJoined, createTurns } from '../lib/turns.ts'
import { createReadiness } from '../site/health.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { NodeLoad } from '../store/ports/nodes.ts'
import type { Spool } from '../store/ports/records.ts'
import type { ChangedElsewhere, Store } from '../store/ports/store.ts'
import { createBeside } from './beside/beside.ts'
import { createChannelCare } from './channel-care.ts'
import type { Config } from './config/config.ts'
import { withSettings } from './config/settings.ts'
import { createChannelGateway } from './console/channel-gateway.ts'
import { createConsoleDoor } from './console/door.ts'
import { countTokens } from './count-tokens.ts'
import { createOverdrawnCount, createRecentAttempts } from './counts.ts'
import { createHearing } from './database-watch.ts'
import { createHttpApp } from './http-app.ts'
import { createLiveCatalog, liveSettings } from './live-catalog.ts'
import { createNodeLoad, type Membership } from './membership.ts'
import type { MetricsSource } from './metrics-listen.ts'
import { createProcessMemory, type ProcessMemory, watchDescriptors } from './process-limits.ts'
import { createPlazaAccess, createSite } from './site.ts'
import { createVendorPriceSync } from './vendor-price-sync.ts'

interface TollgateParts {
  readonly config: Config
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  /** Where settlements wait that the store does not take; absent: nowhere. */
  readonly spool?: Spool | undefined
  /** What all nodes count together, closed at the stop; absent: this one counts in its memory. */
  readonly counters?: Counters | undefined
  /** This process among those that serve from the store; absent: it is the only one. */
  readonly membership?: Pick<Membership, 'id' | 'known'> | undefined
  /** Numbers in [0, 1): which of equal channels is asked first. */
  readonly random?: () => number
  /** How long a stream may be silent towards its client. */
  readonly heartbeat?: HeartbeatTimes
  /** Who is signed in to the console; absent: whoever has a session. */
  readonly sessions?: Sessions
  /** What limits of the console's sessions go by; absent: the real time. */
  readonly sessionTick?: Clock | undefined
  /** How long a WebSocket lives; absent: an hour. */
  readonly socketLifeMs?: number | undefined
  /** Timers of the console's live views; absent: real ones. */
  readonly repeat?: Repeat
}

/** The whole gateway, wired; the caller listens. */
export interface Tollgate {
  readonly app: ReturnType<typeof createHttpApp>
  /** Puts settings of a changed configuration in force; `listen`, `store` and `counters` need a restart. */
  configure(config: Config): void
  /** What another process has changed in the store since the last call; throws while nobody can tell. */
  changedElsewhere(): Promise<ChangedElsewhere>
  /** Reads accounts and tokens again. */
  accountsChanged(): void
  /** Reads groups, channels, prices and tokens again: somebody changed the store. */
  refresh(): Promise<void>
  /** The same after changes by hand, whose channels may have models that have a list price. */
  changed(): Promise<void>
  /** A code that creates the first administrator, the same on all nodes; undefined: exists. */
  openSetup(): Promise<string | undefined>
  /** What the metrics are drawn from. */
  readonly metrics: MetricsSource
  /** What it may hold for strangers. */
  readonly memory: ProcessMemory
  /** What this process is doing, for the other nodes to see. */
  load(): NodeLoad
  /** Exchanges under way, streams included. */
  active(): number
  /** From now on load balancers are told to send requests elsewhere; those that come are taken. */
  drain(): void
  /** Refuses requests that still come, by connections that were open before. */
  close(): void
  /** Ends all exchanges that are under way, each with its record. */
  interruptAll(): void
  /** Resolves when everything that ended is stored. */
  settled(): Promise<void>
  /** Whether something waits still that the store did not take. */
  isBehind(): boolean
  stop(): Promise<void>
}

/** Large requests come in bursts: without a queue_time, too, they wait for memory. */
const leastMemoryWaitMs = 5_000
/** A connection on which nothing comes is closed after a minute. */
const mostMemoryWaitMs = 30_000

/** Builds every part once and connects them. Throws when the store can't be read. */
export async function createTollgate(parts: TollgateParts): Promise<Tollgate> {
  const { store, secrets, log, clock, counters } = parts
  const memory = createProcessMemory(parts.config.server)
  let fileConfig = parts.config
  let { values } = await store.edits.storedSettings()
  let config = withSettings(fileConfig, values)
  let settings = liveSettings(config)
  const catalog = await createLiveCatalog(store, secrets)
  const warnIfLow = createLowBalanceWarning(log, () => settings.balanceLowThresholdNano)
  /** One after the other: what was read first must not come last. */
  const inTurn = createTurns()
  const tick = () => performance.now()
  const keys = createKnownKeys(store.tokens, (error) =>
    log.warn('keys not read', { error: String(error) }),
  )
  const authenticator = createAuthenticator({
    ...{ tokens: store.tokens, keyedHash: secrets.keyedHash, keys, onBalance: warnIfLow },
    strangers: createStrangers(keys, tick),
  })
  const { file } = store
  /** A request that is not stored must not be asked upstream. */
  const identify: Authenticator['identify'] = (key, address) => {
    file?.require()
    return authenticator.identify(key, address)
  }
  const gatekeeper = createGatekeeper(
    file ? { ...authenticator, identify } : authenticator,
    clock,
    () => settings,
    () => catalog.current().groups,
  )
  const overdraft = createOverdraftWarning({
    ...{ store: store.admin, account: authenticator.account, tick, log },
  })
  const overdrawn = createOverdrawnCount(store.admin, tick)
  const reservations = createReservations(
    () => committer,
    () => utcDay(clock()),
  )
  const committer = createCommitter(
    store.records,
    (batch, committed) => {
      authenticator.committed(committed)
      overdraft.committed(committed)
      reservations.committed(batch, committed)
    },
    log,
    parts.spool,
  )
  store.records.onDearer?.(reservations.hear)
  const hearing = createHearing(store, () => inTurn(readAnew), tick)
  const availability = createAvailability({ store: store.availability, clock, log })
  const descriptors = watchDescriptors(log, parts.repeat)
  const readiness = createReadiness({
    isGone: () => file?.trouble() !== undefined,
    ...{ check: store.check, isBehind: committer.isBehind, spool: parts.spool },
    ...{ isDeaf: hearing.isDeaf, isShort: descriptors.isShort, tick, log },
  })
  const plazaRefusal = createPlazaAccess(gatekeeper)
  const site = createSite({
    config,
    catalog: catalog.current,
    documents: store.documents,
    clock,
    log,
    plazaRefusal,
    status: availability,
    readiness,
  })
  const watchdog = createWatchdog(createRunningClock(tick))
  const heartbeats = createHeartbeats(tick, parts.heartbeat)
  const limiter = counters ? createSharedLimiter(counters, tick) : createLimiter(tick)
  const outbound = createOutbound()
  const care = await createChannelCare({
    ...{ store, secrets, outbound, limiter, counters, clock, tick, log },
    catalog: catalog.current,
    random: parts.random ?? Math.random,
    isCooling: () => settings.channelCooling,
  })
  const onRefused = availability.totals.recordRefusal
  const refusalLog = createRefusalLog(log, { repeat: parts.repeat, onRefused })
  const shared = {
    catalog: catalog.current,
    gatekeeper,
    affinity: care.affinity,
    refusals: createRefusalLimit(),
    ...{ refusalLog, onRefused },
    reservations,
    currentCaller: authenticator.current,
    ...{ committer, countTokens, availability },
    ...{ outbound, clock, tick, log },
  }
  const background = createBackground({ ...shared, answers: store.answers, repeat: parts.repeat })
  // Where several serve, each commit is decided by what all of them have set aside.
  if (!store.records.isShared) {
    for (const held of await store.answers.allPending()) reservations.adopt(held)
  }
  background.start()
  const own = createOwnResponses({
    ...{ store: store.responses, sealer: secrets.bytes, repeat: parts.repeat, log },
    limits: () => settings.keptResponses,
    isShared: store.records.isShared,
  })
  own.start()
  const limited = {
    limiter,
    queueTimeMs: () => settings.queueTimeMs,
    onLimited: availability.totals.recordLimit,
  }
  const memoryWaitMs = () =>
    Math.min(Math.max(settings.queueTimeMs, leastMemoryWaitMs), mostMemoryWaitMs)
  const beside = withinMemory(createBeside(secrets.textKeys), memory.budget, memoryWaitMs)
  const recent = createRecentAttempts(tick)
  const places = createPlaces({
    mostRequests: () => settings.maxRequests,
    mostConnections: () => settings.maxConnections,
  })
  const forwarder = createForwarder({
    ...shared,
    usualOutputTokens: () => settings.usualOutputTokens,
    watchdog,
    sealer: secrets.texts,
    beside,
    media: createMediaFetcher({
      ...{ outbound, memory: memory.budget },
      limits: { cacheBytes: memory.fileCacheBytes },
    }),
    ...{ ...limited, heartbeats, background, own, answers: store.answers },
    unknownAnswers: () => settings.unknownAnswers,
    choose: care.choose,
    findHome: care.findHome,
    onAttempt({ id, name }, cause) {
      availability.totals.recordAttempt(name, cause)
      recent.record(id, cause !== null)
    },
    maxBodyBytes: () => settings.maxBodyBytes,
    memory: memory.budget,
    memoryWaitMs,
    places,
    maxAttempts: () => settings.maxAttempts,
    retryTimeMs: () => settings.retryTimeMs,
  })
  const sockets = createSockets({
    ...{ ...shared, ...limited, forwarder, socketLifeMs: parts.socketLifeMs },
    isOn: () => settings.responsesWebsocket,
    ...{ most: memory.sockets, isShort: memory.budget.isShort },
    maxBodyBytes: () => settings.maxBodyBytes,
  })
  const routeParts = {
    ...{ ...shared, ...limited, forwarder, background, own, sockets },
    records: store.records,
    modelsList: () => settings.modelsList,
  }
  /** The file's words, and in the places that it leaves open what was set by hand. */
  function applySettings(): void {
    config = withSettings(fileConfig, values)
    settings = liveSettings(config)
    site.configure(config)
  }
  /** All that requests are decided by. */
  async function readAnew(): Promise<void> {
    try {
      await catalog.reload()
    } finally {
      // Whatever can't be read: tokens that were switched off are off.
      authenticator.forget()
    }
    ;({ values } = await store.edits.storedSettings())
    applySettings()
  }
  const refresh = createJoined(() =>
    inTurn(async () => {
      await readAnew()
      await care.refresh()
      await site.refresh()
    }),
  )
  const syncVendorPrices = createVendorPriceSync(store, catalog.rows().channels)
  /** Other changes don't wait for the prices. */
  const changed = createJoined(async () => {
    await syncVendorPrices().finally(refresh)
  })
  const load = createNodeLoad({ forwarder, counters, documents: store.documents, tick })
  const metrics = {
    totals: availability.totals,
    catalog: catalog.current,
    requestsInFlight: forwarder.active,
    streamsInFlight: forwarder.activeStreams,
    spooled: () => parts.spool?.count() ?? 0,
    coolings: care.coolings,
    overdrawn: overdrawn.read,
    load,
    ...{ memory, places },
    membership: parts.membership,
  }
  const setupCode = createSetupCode(store.signIn, secrets.texts)
  const door = createConsoleDoor(
    {
      ...{ config: () => config, store, secrets, log, clock, sessions: parts.sessions },
      tokenChanged: authenticator.forgetToken,
      accountsChanged: authenticator.forget,
      ...{ catalog, changed, metrics, setupCode, coolings: care.coolings },
      channels: createChannelGateway({ care, outbound, recent, clock, tick }),
      status: availability,
      ownPages: site,
      ...{ sessionTick: parts.sessionTick ?? tick, repeat: parts.repeat },
      askModel: createInProcess(routeParts),
    },
    log,
  )
  return {
    app: createHttpApp({
      ...{ models: modelRoutes(routeParts), notOffered: createNotOffered(routeParts) },
      ...{ site, door, log, onRefused },
      // A proxy that keeps connections must find none closed on which it has just sent a request.
      closesConnections: () => readiness.isDraining() || places.areShort(),
    }),
    configure(changed) {
      fileConfig = changed
      applySettings()
    },
    changedElsewhere: hearing.changedElsewhere,
    accountsChanged: authenticator.forget,
    refresh,
    changed,
    openSetup: async () => ((await store.signIn.hasAdministrator()) ? undefined : setupCode.open()),
    metrics,
    memory,
    load,
    active: forwarder.active,
    drain: readiness.drain,
    close() {
      forwarder.close()
      sockets.close()
      door.close()
    },
    interruptAll: forwarder.interruptAll,
    settled: committer.idle,
    isBehind: committer.isBehind,
    async stop() {
      refusalLog.stop()
      await background.stop()
      await overdraft.idle()
      await overdrawn.idle()
      await own.stop()
      await door.stop()
      places.stop()
      watchdog.stop()
      heartbeats.stop()
      descriptors.stop()
      limiter.stop()
      await care.stop()
      await availability.stop()
      await site.stop()
      await hearing.idle()
      await counters?.close()
    },
  }
}
