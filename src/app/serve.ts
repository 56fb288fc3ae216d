import { reachableHost } from '../lib/addresses.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createSingleFlight } from '../lib/concurrency.ts'
import { messageOf } from '../lib/failure.ts'
import type { Logger } from '../lib/log.ts'
import type { NodeLoad } from '../store/ports/nodes.ts'
import type { Store } from '../store/ports/store.ts'
import { openValkeyCounters } from '../store/valkey/counters.ts'
import { applyConfig } from './apply.ts'
import type { Config } from './config/config.ts'
import type { Plan } from './config/diff.ts'
import { heldBackText } from './config/held-back.ts'
import { watchFile } from './database-watch.ts'
import { type KeeperMember, openWorkers, type Workers } from './group/keeper.ts'
import { type Given, processesOf } from './group/place.ts'
import type { Instance } from './instance.ts'
import { listen } from './listen.ts'
import { joinNodes, processName } from './membership.ts'
import { listenMetrics, type MetricsListening } from './metrics-listen.ts'
import { openSpoolOf, replay } from './spool.ts'
import { createStopping } from './stopping.ts'
import { describeStore } from './store-place.ts'
import { createTollgate, type Tollgate } from './tollgate.ts'
import { removeCopies } from './upgrade/upgrade.ts'
import { UserError } from './user-error.ts'
import { checkAtStart } from './verify/check-sums.ts'

interface ServeParts {
  readonly config: Config
  readonly instance: Instance
  readonly log: Logger
  readonly reload: () => Promise<Config>
  /** Monotonic clock of sessions; tests replace it. */
  readonly sessionTick?: Clock | undefined
  readonly socketLifeMs?: number | undefined
  /** This process is the keeper of a group, whose workers answer for it; absent: it is alone. */
  readonly member?: KeeperMember | undefined
  /** Where the operator sets the address; default: `server.listen`. */
  readonly addressSetBy?: string | undefined
}

/** A running gateway. */
export type Serving = Awaited<ReturnType<typeof serve>>

/** Interval of asking the database for changes by other processes. */
const pollMs = 500

/** Applies the configuration, opens the port and serves until it is stopped. */
export async function serve(parts: ServeParts) {
  const { config, instance, log, reload, sessionTick, socketLifeMs } = parts
  const { store, secrets, secret } = instance
  /** Null: workers must not begin yet. */
  let given: Given | null = null
  let load = (): NodeLoad => ({})
  // Undoes a start that fails.
  await using undone = new AsyncDisposableStack()
  const name = processName(parts.member !== undefined)
  const membership = store.records.isShared
    ? await joinNodes({ nodes: store.nodes, name, log, load: () => load() })
    : undefined
  undone.defer(async () => await membership?.leave())
  await claim(store, config, parts.member ? lastOfGroupMs : 0)
  let origin = await store.records.origin()
  const spool = await openSpoolOf(config.store, origin, log)
  undone.defer(async () => await spool?.close())
  // Before the sweep, which would close its requests as interrupted.
  if (spool) await replay({ spool, records: store.records, store: config.store }, log)
  const shared = config.counters
    ? await openValkeyCounters({ ...config.counters, log, living: membership?.living })
    : undefined
  undone.defer(async () => await shared?.close())
  const workers =
    parts.member &&
    openWorkers({
      ...{ member: parts.member, store, counters: shared, spool, log },
      given: () => given,
    })
  undone.defer(async () => await workers?.stop())
  await sweep(store, log, await workers?.joined())
  workers?.begin()
  tellHeldBack(await applyConfig(instance, config, { prune: false }), log)
  await findOrigin()
  const tollgate = await createTollgate({
    ...{ config, secrets, log, spool, membership, sessionTick, socketLifeMs, workers },
    store: workers?.store ?? store,
    counters: workers?.counters ?? shared,
    ...(parts.member && { processes: processesOf(parts.member.place) }),
    clock: systemClock,
  })
  undone.defer(tollgate.stop)
  await beginFetching()
  load = tollgate.load
  const setupCode = await tollgate.openSetup()
  const { listening, metrics } = await openPorts(tollgate, parts, workers)
  given = { config, secret }
  workers?.give()
  const endWatch = store.file && watchFile(store.file, log)
  undone.move()
  if (store.file) await removeCopies(store.file, log)
  // No awaits from here on: once requests arrive, signals must be handled.
  const setupUrl = setupUrlOf(setupCode, config.site.baseUrl ?? reachableUrl(listening.url))
  void membership?.beat() // awaited when it leaves
  const startCheck = checkAtStart(store.verification, log)
  const follow = createSingleFlight(refreshIfChanged)
  const poll = setInterval(follow, pollMs)
  const { shutdownDelayMs: delayMs, shutdownGraceMs: graceMs } = config.server
  const stopping = createStopping({ gateway: tollgate, listening, delayMs, graceMs, log })
  let stopped: Promise<readonly string[]> | undefined
  let outdated = false

  async function refreshIfChanged(): Promise<void> {
    if (store.file?.trouble() !== undefined) return
    try {
      await findOrigin()
      const changed = await tollgate.changedElsewhere()
      if (changed === 'accounts') tollgate.accountsChanged()
      if (changed === 'all') outdated = true
      if (!outdated) return
      await tollgate.changed()
      outdated = false
    } catch (error) {
      log.error('change of the database not followed', { error: String(error) })
    }
  }

  /** A database is known by its first account, which may be created at any time. */
  async function findOrigin(): Promise<void> {
    if (origin !== '') return
    origin = await store.records.origin()
    spool?.setOrigin(origin)
  }

  async function stop(): Promise<readonly string[]> {
    const { close } = stopping
    await stopping.drain()
    await workers?.ended()
    clearInterval(poll)
    await stopping.endRequests()
    await close('metrics', () => metrics?.close())
    await close('changes of the database', follow.idle)
    await close('the look at the database', startCheck.stop)
    await close('work in the background', tollgate.stop)
    await close('the link to the workers', () => workers?.stop())
    await close('the list of nodes', () => membership?.leave())
    await close('the spool', () => spool?.close())
    await close('the look at the file', () => endWatch?.())
    if (store.file?.trouble() === undefined) await close('the run', () => store.file?.countRun())
    await close('the database', () => store.close())
    log.info('stopped', {})
    return stopping.left
  }

  return {
    url: listening.url,
    setupUrl,
    metricsUrl: metrics?.url,
    memory: tollgate.memory,
    /** Applies the configuration again; an invalid one is logged and changes nothing. */
    async reload(): Promise<void> {
      if (stopped) return log.warn('configuration not applied: the gateway stops', {})
      try {
        const changed = await reload()
        tellHeldBack(await applyConfig(instance, changed, { prune: false }), log)
        given = { config: changed, secret }
        workers?.give()
        tollgate.configure(changed)
        await tollgate.refresh()
        log.info('configuration applied', {})
      } catch (error) {
        const reason = messageOf(error)
        log.error('configuration not applied; the old one stays in force', { error: reason })
      }
    },
    /**
     * Stops in steps, each within a limit: /readyz fails, after the delay requests are refused, open ones get
     * the grace time, charges settle, the database closes. A second call skips the waiting.
     */
    stop(): Promise<readonly string[]> {
      if (stopped) stopping.hurry()
      stopped ??= stop()
      return stopped
    },
    /** The step of the stop under way, as a noun; undefined: none yet. */
    waitsFor: stopping.waitsFor,
  }
}

/** Starts the runtime's `fetch` thread now: without free descriptors it would end the process. */
async function beginFetching(): Promise<void> {
  await fetch('http://localhost/', { unix: '/nowhere/at/all', proxy: false }).catch(() => {})
}

/** A group whose starter was killed ends within 5 s; the next one waits for it. */
const lastOfGroupMs = 6_000
const claimMs = 100

async function claim(store: Store, config: Config, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  let isClaimed = await store.claimServing()
  while (!isClaimed && performance.now() < deadline) {
    await Bun.sleep(claimMs)
    isClaimed = await store.claimServing()
  }
  if (!isClaimed) {
    throw new UserError(
      `Another process serves from the database ${describeStore(config.store)}. Stop it first, or give this ` +
        'one a database of its own (store: in the configuration).',
    )
  }
}

/** `held`: requests that are under way in processes that live. */
async function sweep(store: Store, log: Logger, held: readonly string[] = []): Promise<void> {
  // Several nodes look for dead ones instead.
  if (store.records.isShared) return
  const interrupted = await store.records.sweep(held)
  if (interrupted === 0) return
  log.warn('requests were under way when the gateway was ended; recorded, nothing charged', {
    interrupted,
  })
}

/** A browser on this machine opens no address of "all addresses". */
function reachableUrl(url: string): string {
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${reachableHost(hostname.replace(/^\[|\]$/g, ''))}:${port}`
}

const setupUrlOf = (code: string | undefined, base: string) =>
  code === undefined ? undefined : `${base.replace(/\/+$/, '')}/console/setup?code=${code}`

async function openPorts(
  tollgate: Tollgate,
  { config, log, addressSetBy }: ServeParts,
  workers: Workers | undefined,
) {
  const { server } = config
  let metrics: MetricsListening | undefined
  try {
    // First: without the metrics there are no requests to abort yet.
    metrics = server.metrics ? listenMetrics(server.metrics, tollgate.metrics, log) : undefined
    if (workers) return { listening: workers.listen(tollgate.app), metrics }
    const messageBytes = Math.min(server.maxBodyBytes, tollgate.memory.sockets.messageBytes)
    const address = { ...server, messageBytes }
    return { listening: listen(tollgate.app, address, addressSetBy), metrics }
  } catch (cause) {
    await metrics?.close()
    throw cause
  }
}

/** Logs entries of the file that manual changes keep out of force. */
function tellHeldBack({ heldBack }: Plan, log: Logger): void {
  for (const held of heldBack) log.warn(heldBackText(held))
}
