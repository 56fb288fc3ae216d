import type { Sessions } from '../admin/access.ts'
import { createSetupCode } from '../admin/sign-in/setup.ts'
import { type Authenticator, createAuthenticator } from '../gateway/admit/authenticate.ts'
import { createGatekeeper } from '../gateway/admit/gatekeeper.ts'
import { createKnownKeys, createUnknownKeyLimit } from '../gateway/admit/known-keys.ts'
import { createRequestSlots } from '../gateway/admit/request-slots.ts'
import { createAvailability } from '../gateway/availability/availability.ts'
import { createBackground } from '../gateway/background/background.ts'
import { withinMemory } from '../gateway/body-thread/job.ts'
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
import { createRefusalLimit, createRefusalLog } from '../gateway/request-log.ts'
import { createNotOffered } from '../gateway/serve/published-paths.ts'
import { createInProcess, modelRoutes } from '../gateway/serve/routes.ts'
import { createSockets } from '../gateway/socket/sockets.ts'
import { createWatchdog } from '../gateway/upstream/watchdog.ts'
import { type Clock, createRunningClock, type Repeat, utcDay } from '../lib/clock.ts'
import { coalesce, createMutex } from '../lib/concurrency.ts'
import type { Logger } from '../lib/log.ts'
import type { SecretBox } from '../lib/secrets.ts'
import { createReadiness } from '../site/health.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { Spool } from '../store/ports/records.ts'
import type { Store } from '../store/ports/store.ts'
import { createBodyThread } from './body-thread/body-thread.ts'
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
import { createProcessMemory, watchDescriptors } from './process-limits.ts'
import { createPlazaAccess, createSite } from './site.ts'
import { createVendorPriceSync } from './vendor-price-sync.ts'

interface TollgateParts {
  readonly config: Config
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  /** Holds settlements that the store does not take; absent: none. */
  readonly spool?: Spool | undefined
  /** Counters shared by all nodes, closed at the stop; absent: counts in memory. */
  readonly counters?: Counters | undefined
  /** This process among the nodes; absent: it is the only one. */
  readonly membership?: Pick<Membership, 'id' | 'known'> | undefined
  /** Numbers in [0, 1) that choose between equal channels. */
  readonly random?: () => number
  readonly heartbeat?: HeartbeatTimes
  readonly sessions?: Sessions
  readonly sessionTick?: Clock | undefined
  readonly socketLifeMs?: number | undefined
  readonly repeat?: Repeat
}

export type Tollgate = Awaited<ReturnType<typeof createTollgate>>

/** Large requests come in bursts: even without a queue_time they wait for memory. */
const leastMemoryWaitMs = 5_000
/** A silent connection is closed after a minute. */
const mostMemoryWaitMs = 30_000

/** The whole gateway, wired; the caller listens. Throws when the store can't be read. */
export async function createTollgate(parts: TollgateParts) {
  const { store, secrets, log, clock, counters } = parts
  const memory = createProcessMemory(parts.config.server)
  let fileConfig = parts.config
  let { values } = await store.edits.storedSettings()
  let config = withSettings(fileConfig, values)
  let settings = liveSettings(config)
  const catalog = await createLiveCatalog(store, secrets)
  const warnIfLow = createLowBalanceWarning(log, () => settings.balanceLowThresholdNano)
  /** Reads in turn: an earlier one must not replace a later one. */
  const inTurn = createMutex()
  const tick = () => performance.now()
  const keys = createKnownKeys(store.tokens, (error) =>
    log.warn('keys not read', { error: String(error) }),
  )
  const authenticator = createAuthenticator({
    ...{ tokens: store.tokens, keyedHash: secrets.keyedHash, keys, onBalance: warnIfLow },
    unknownKeys: createUnknownKeyLimit(keys, tick),
  })
  const { file } = store
  /** A request that can't be stored must not reach the upstream. */
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
  store.records.onOverrun?.(reservations.noteOverrun)
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
  const refusalLog = createRefusalLog(log, parts.repeat, onRefused)
  const shared = {
    catalog: catalog.current,
    gatekeeper,
    origins: care.origins,
    refusals: createRefusalLimit(),
    ...{ refusalLog, onRefused },
    reservations,
    currentCaller: authenticator.current,
    ...{ committer, countTokens, availability },
    ...{ outbound, clock, tick, log },
  }
  const background = createBackground({ ...shared, answers: store.answers, repeat: parts.repeat })
  // With several nodes each commit is decided by the reservations of all.
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
  const bodyThread = withinMemory(createBodyThread(secrets.textKeys), memory.budget, memoryWaitMs)
  const recent = createRecentAttempts(tick)
  const slots = createRequestSlots({
    mostRequests: () => settings.maxRequests,
    mostConnections: () => settings.maxConnections,
  })
  const forwarder = createForwarder({
    ...shared,
    usualOutputTokens: () => settings.usualOutputTokens,
    watchdog,
    sealer: secrets.texts,
    bodyThread,
    media: createMediaFetcher({
      ...{ outbound, memory: memory.budget },
      limits: { cacheBytes: memory.fileCacheBytes },
    }),
    ...{ ...limited, heartbeats, background, own, answers: store.answers },
    unknownAnswers: () => settings.unknownAnswers,
    choose: care.choose,
    refreshBinding: care.refreshBinding,
    onAttempt({ id, name }, cause) {
      availability.totals.recordAttempt(name, cause)
      recent.record(id, cause !== null)
    },
    maxBodyBytes: () => settings.maxBodyBytes,
    memory: memory.budget,
    memoryWaitMs,
    slots,
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
  /** The file's settings, completed by manual ones. */
  function applySettings(): void {
    config = withSettings(fileConfig, values)
    settings = liveSettings(config)
    site.configure(config)
  }
  /** Reads everything that requests are decided by. */
  async function readAnew(): Promise<void> {
    try {
      await catalog.reload()
    } finally {
      // Even when reading fails, disabled tokens must stop working.
      authenticator.forget()
    }
    ;({ values } = await store.edits.storedSettings())
    applySettings()
  }
  const refresh = coalesce(() =>
    inTurn(async () => {
      await readAnew()
      await care.refresh()
      await site.refresh()
    }),
  )
  const syncVendorPrices = createVendorPriceSync(store, catalog.rows().channels)
  /** Other changes do not depend on the prices. */
  const changed = coalesce(async () => {
    await syncVendorPrices().finally(refresh)
  })
  const load = createNodeLoad(forwarder, counters, store.documents, tick)
  const metrics = {
    totals: availability.totals,
    catalog: catalog.current,
    requestsInFlight: forwarder.active,
    streamsInFlight: forwarder.activeStreams,
    spooled: () => parts.spool?.count() ?? 0,
    coolings: care.coolings,
    overdrawn: overdrawn.read,
    load,
    ...{ memory, slots },
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
      // A proxy must find no kept connection closed on which it has just sent a request.
      closesConnections: () => readiness.isDraining() || slots.areConnectionsShort(),
    }),
    /** Applies changed settings; `listen`, `store` and `counters` need a restart. */
    configure(changed: Config): void {
      fileConfig = changed
      applySettings()
    },
    /** What other processes changed in the store since the last call; throws when it is unavailable. */
    changedElsewhere: hearing.changedElsewhere,
    accountsChanged: authenticator.forget,
    refresh,
    /** As `refresh`, after manual changes: channels may have new models with a list price. */
    changed,
    /** A code that creates the first administrator, equal on all nodes; undefined: one exists. */
    openSetup: async () => ((await store.signIn.hasAdministrator()) ? undefined : setupCode.open()),
    metrics,
    memory,
    load,
    active: forwarder.active,
    /** Fails readiness; requests are still accepted. */
    drain: readiness.drain,
    /** Refuses new requests on open connections. */
    close(): void {
      forwarder.close()
      sockets.close()
      door.close()
    },
    interruptAll: forwarder.interruptAll,
    settled: committer.idle,
    /** Whether settlements wait that the store did not take. */
    isBehind: committer.isBehind,
    async stop(): Promise<void> {
      refusalLog.stop()
      await background.stop()
      await overdraft.idle()
      await overdrawn.idle()
      await own.stop()
      await door.stop()
      slots.stop()
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
