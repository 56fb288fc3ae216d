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
import { createLeases } from '../gateway/money/leases.ts'
import { createLowBalanceWarning } from '../gateway/money/overdraft.ts'
import { createReservations } from '../gateway/money/reservations.ts'
import { createOutbound } from '../gateway/outbound/outbound.ts'
import { createOwnResponses } from '../gateway/own-responses/own-responses.ts'
import { createHeartbeats, type HeartbeatTimes } from '../gateway/relay/heartbeat.ts'
import { createRefusalLimit, createRefusalLog } from '../gateway/request-log.ts'
import { createNotOffered } from '../gateway/serve/published-paths.ts'
import { modelRoutes } from '../gateway/serve/routes.ts'
import { createSockets } from '../gateway/socket/sockets.ts'
import { createWatchdog } from '../gateway/upstream/watchdog.ts'
import { type Clock, createRunningClock, type Repeat, repeatByTimer, utcDay } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { SecretBox } from '../lib/secrets.ts'
import type { AvailabilityStore } from '../store/ports/availability.ts'
import type { CatalogStore } from '../store/ports/catalog.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { EditStore } from '../store/ports/edits.ts'
import type { Batch, Committed, RecordStore, Spool } from '../store/ports/records.ts'
import type { Store, StoreFile } from '../store/ports/store.ts'
import { createBodyThread } from './body-thread/body-thread.ts'
import { createChannelCare } from './channel-care.ts'
import type { Config } from './config/config.ts'
import { withSettings } from './config/settings.ts'
import { countTokens } from './count-tokens.ts'
import { createRecentAttempts } from './counts.ts'
import { createLiveCatalog, liveSettings } from './live-catalog.ts'
import { createProcessMemory, watchDescriptors } from './process-limits.ts'

/** What the way of requests uses of a store. */
export type GatewayStore = Pick<Store, 'tokens' | 'answers' | 'responses' | 'health'> & {
  readonly catalog: Pick<CatalogStore, 'load'>
  readonly edits: Pick<EditStore, 'storedSettings'>
  readonly records: Pick<
    RecordStore,
    'isShared' | 'spacingMs' | 'commit' | 'leases' | 'onOverrun' | 'receipt' | 'tokenUsage'
  >
  readonly availability: AvailabilityStore
  readonly file?: Pick<StoreFile, 'require'>
}

export interface GatewayParts {
  readonly config: Config
  readonly store: GatewayStore
  /** How many processes share the limits of memory and of unknown keys; default: this one alone. */
  readonly processes?: number
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  /** Holds settlements that the store does not take; absent: none. */
  readonly spool?: Spool | undefined
  /** Counters shared by all nodes; absent: counts in memory. */
  readonly counters?: Counters | undefined
  /** Numbers in [0, 1) that choose between equal channels. */
  readonly random?: () => number
  readonly heartbeat?: HeartbeatTimes
  readonly socketLifeMs?: number | undefined
  readonly repeat?: Repeat
  /** Whether it probes channels; default: yes. Of several processes of a machine one does. */
  readonly probes?: boolean
  /** Called with each commit, after this gateway has applied it. */
  readonly onCommitted?: (committed: Committed) => void
  /** Called when the settings in force have changed. */
  readonly onConfig?: (config: Config) => void
}

/** The way of requests, wired: what answers the model endpoints of one process. */
export type Gateway = Awaited<ReturnType<typeof createGateway>>

/** Even without a queue_time requests wait for memory: large ones come in bursts. */
const leastMemoryWaitMs = 5_000
/** A silent connection is closed after a minute. */
const mostMemoryWaitMs = 30_000

/** Throws when the store can't be read. */
export async function createGateway(parts: GatewayParts) {
  const { store, secrets, log, clock, counters, repeat } = parts
  const tick = () => performance.now()
  const memory = createProcessMemory(parts.config.server, parts.processes)
  const live = await createLiveSettings(parts)
  const settings = live.settings
  const catalog = await createLiveCatalog(store, secrets)
  const money = createMoney(parts, tick, () => settings().balanceLowThresholdNano)
  const { authenticator, committer, reservations } = money
  const gatekeeper = createGatekeeper(
    requiringFile(authenticator, store),
    clock,
    settings,
    () => catalog.current().groups,
  )
  const availability = createAvailability({ store: store.availability, clock, log })
  const descriptors = watchDescriptors(log, repeat)
  const watchdog = createWatchdog(createRunningClock(tick))
  const heartbeats = createHeartbeats(tick, parts.heartbeat)
  const limiter = counters ? createSharedLimiter(counters, tick) : createLimiter(tick)
  const outbound = createOutbound()
  const care = await createChannelCare({
    ...{ store, secrets, outbound, limiter, counters, clock, tick, log },
    catalog: catalog.current,
    ...{ random: parts.random ?? Math.random, probes: parts.probes },
    isCooling: () => settings().channelCooling,
  })
  const onRefused = availability.totals.recordRefusal
  const refusalLog = createRefusalLog(log, repeat, onRefused)
  const shared = {
    catalog: catalog.current,
    gatekeeper,
    origins: care.origins,
    refusals: createRefusalLimit(),
    ...{ refusalLog, onRefused, reservations, committer, countTokens, availability },
    currentCaller: authenticator.current,
    ...{ outbound, clock, tick, log },
  }
  const background = createBackground({ ...shared, answers: store.answers, repeat })
  const own = createOwnResponses({
    ...{ store: store.responses, sealer: secrets.bytes, repeat, log },
    limits: () => settings().keptResponses,
    isShared: store.records.isShared,
  })
  const limited = {
    limiter,
    queueTimeMs: () => settings().queueTimeMs,
    onLimited: availability.totals.recordLimit,
  }
  const memoryWaitMs = () =>
    Math.min(Math.max(settings().queueTimeMs, leastMemoryWaitMs), mostMemoryWaitMs)
  const recent = createRecentAttempts(tick)
  const slots = createRequestSlots({
    mostRequests: () => settings().maxRequests,
    mostConnections: () => settings().maxConnections,
  })
  const forwarder = createForwarder({
    ...{ ...shared, ...limited, watchdog, heartbeats, background, own, slots, memoryWaitMs },
    usualOutputTokens: () => settings().usualOutputTokens,
    sealer: secrets.texts,
    bodyThread: withinMemory(createBodyThread(secrets.textKeys), memory.budget, memoryWaitMs),
    media: createMediaFetcher({
      ...{ outbound, memory: memory.budget },
      limits: { cacheBytes: memory.fileCacheBytes },
    }),
    answers: store.answers,
    unknownAnswers: () => settings().unknownAnswers,
    choose: care.choose,
    coolings: care.coolings,
    refreshBinding: care.refreshBinding,
    onAttempt({ id, name }, cause) {
      availability.totals.recordAttempt(name, cause)
      recent.record(id, cause !== null)
    },
    maxBodyBytes: () => settings().maxBodyBytes,
    memory: memory.budget,
    maxAttempts: () => settings().maxAttempts,
    retryTimeMs: () => settings().retryTimeMs,
  })
  const sockets = createSockets({
    ...{ ...shared, ...limited, forwarder, socketLifeMs: parts.socketLifeMs },
    isOn: () => settings().responsesWebsocket,
    ...{ most: memory.sockets, isShort: memory.budget.isShort },
    maxBodyBytes: () => settings().maxBodyBytes,
  })
  const routeParts = {
    ...{ ...shared, ...limited, forwarder, background, own, sockets },
    records: store.records,
    renewedCaller: store.records.isShared ? authenticator.renewed : undefined,
    modelsList: () => settings().modelsList,
  }
  return {
    ...{ memory, catalog, gatekeeper, authenticator, availability, limiter, outbound, care },
    ...{ forwarder, slots, recent, routeParts, onRefused, descriptors },
    config: live.config,
    models: modelRoutes(routeParts),
    notOffered: createNotOffered(routeParts),
    configure: live.configure,
    /** Reads everything that requests are decided by. */
    async readAnew(): Promise<void> {
      try {
        await catalog.reload()
      } finally {
        // Even when reading fails, disabled tokens must stop working.
        authenticator.forget()
      }
      await live.read()
    },
    /** Begins what one process of a database does: old answers are charged, or removed. */
    async beginTimers(): Promise<void> {
      // With several nodes each commit is decided by the reservations of all.
      if (!store.records.isShared) {
        for (const held of await store.answers.allPending()) reservations.adopt(held)
      }
      background.start()
      own.start()
    },
    active: forwarder.active,
    /** Refuses new requests on open connections. */
    close(): void {
      forwarder.close()
      sockets.close()
    },
    interruptAll: forwarder.interruptAll,
    settled: committer.idle,
    /** Whether settlements wait that the store did not take. */
    isBehind: committer.isBehind,
    async stop(): Promise<void> {
      refusalLog.stop()
      await background.stop()
      money.stop()
      await own.stop()
      slots.stop()
      watchdog.stop()
      heartbeats.stop()
      descriptors.stop()
      limiter.stop()
      await care.stop()
      await availability.stop()
    },
  }
}

/** The file's settings, completed by manual ones. */
async function createLiveSettings({ config: fileConfig, store, onConfig }: GatewayParts) {
  let file = fileConfig
  let { values } = await store.edits.storedSettings()
  let config = withSettings(file, values)
  let settings = liveSettings(config)

  function apply(): void {
    config = withSettings(file, values)
    settings = liveSettings(config)
    onConfig?.(config)
  }

  return {
    config: () => config,
    settings: () => settings,
    /** Applies changed settings; `listen`, `store` and `counters` need a restart. */
    configure(changed: Config): void {
      file = changed
      apply()
    },
    async read(): Promise<void> {
      ;({ values } = await store.edits.storedSettings())
      apply()
    },
  }
}

/** Who may pay how much: callers, their reservations, and the commits of both. */
function createMoney(parts: GatewayParts, tick: Clock, lowNano: () => number) {
  const { store, secrets, log, clock } = parts
  const keys = createKnownKeys(store.tokens, (error) =>
    log.warn('keys not read', { error: String(error) }),
  )
  const authenticator = createAuthenticator({
    ...{ tokens: store.tokens, keyedHash: secrets.keyedHash, keys },
    onBalance: createLowBalanceWarning(log, lowNano),
    unknownKeys: createUnknownKeyLimit(keys, tick, { processes: parts.processes }),
  })
  // A process alone before its file asks nobody: a lease would save it nothing.
  const source = store.records.isShared ? store.records.leases : undefined
  const leases = source && createLeases(source, tick, () => committer.commitWishes())
  const reservations = createReservations(
    () => committer,
    () => utcDay(clock()),
    { leases },
  )
  function onCommitted(batch: Batch, committed: Committed): void {
    authenticator.committed(committed)
    parts.onCommitted?.(committed)
    reservations.committed(batch, committed)
  }
  const committer = createCommitter(store.records, onCommitted, log, parts.spool, leases)
  store.records.onOverrun?.(reservations.noteOverrun)
  const { repeat = repeatByTimer } = parts
  const stopResting = leases && repeat(leases.rest, leases.restMs)
  return { authenticator, reservations, committer, leases, stop: () => stopResting?.() }
}

/** A request that can't be stored must not reach the upstream. */
function requiringFile(authenticator: Authenticator, { file }: GatewayStore): Authenticator {
  if (file === undefined) return authenticator
  return {
    ...authenticator,
    identify(key, address) {
      file.require()
      return authenticator.identify(key, address)
    },
  }
}
