import type { AnyElysia } from 'elysia'
import { GatewayError } from '../../gateway/errors.ts'
import { systemClock } from '../../lib/clock.ts'
import { coalesce } from '../../lib/concurrency.ts'
import type { Logger } from '../../lib/log.ts'
import { createSecretBox } from '../../lib/secrets.ts'
import { createHostRules } from '../../site/addresses.ts'
import { openKeeper } from '../../store/keeper/open.ts'
import type { Config } from '../config/config.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { createModelApp } from '../http-app.ts'
import { publicPaths } from '../site.ts'
import { createStopping, type Listening } from '../stopping.ts'
import { createPassOn } from './pages.ts'
import { type Given, type GroupPlace, processesOf } from './place.ts'
import { createReport } from './report.ts'

/** How long connections of a worker that is replaced may still bring requests. */
const lingerMs = 2_000

interface WorkerParts {
  readonly place: GroupPlace
  /** Its place among the workers: one that is started again has the same. */
  readonly index: number
  readonly log: Logger
  readonly socketLifeMs?: number | undefined
  /** Takes connections from now on. */
  readonly listen: (app: AnyElysia, limits: { readonly messageBytes: number }) => Listening
}

/** A keeper that upgrades its database starts late; the starter ends this process if it never does. */
const longestStartMs = 2 ** 31 - 1

/** Answers the model endpoints with the keeper's store, and passes all else on to it, until it is stopped. */
export async function serveAsWorker({ place, index, log, listen, ...parts }: WorkerParts) {
  const first = Promise.withResolvers<Given>()
  let gateway: Gateway | undefined
  let isDraining = false
  const questions: Record<string, () => unknown> = {}
  const keeper = await openKeeper({
    ...{ address: place.link, secret: place.secret, log },
    worker: { index, pid: process.pid },
    onGiven(given) {
      if (given === null) return // it is just starting
      const { config } = given as Given
      first.resolve(given as Given)
      gateway?.configure(shareOf(config, place))
    },
    onAsk: (what) => questions[what]?.(),
    openMs: longestStartMs,
  })
  const { config, secret } = await first.promise
  const { store, counters, spool } = keeper
  /** Without the keeper nothing new is begun: it could not be charged. */
  const requireKeeper = () => {
    store.file.require()
    if (!keeper.isUp()) throw restarting()
  }
  const own = await createGateway({
    ...{
      config: shareOf(config, place),
      secrets: createSecretBox(secret),
      processes: processesOf(place),
    },
    ...{ store: { ...store, file: { require: requireKeeper } }, counters, spool, log },
    ...{ clock: systemClock, probes: false, socketLifeMs: parts.socketLifeMs },
    onConfig(changed) {
      hosts = hostsOf(changed)
    },
  })
  gateway = own
  const report = createReport(own, counters)
  questions.report = report.read
  let hosts = hostsOf(own.config())
  const passOn = createPassOn({ socket: place.pages, secret: place.secret })
  const app = createModelApp({
    ...{ models: own.models, notOffered: own.notOffered, onRefused: own.onRefused, log, passOn },
    closesConnections: () => isDraining || own.slots.areConnectionsShort(),
    front: (request, server) => (hosts.isFront(request) ? passOn({ request, server }) : undefined),
    isHidden: (request) => hosts.isHidden(request),
  })
  const refresh = coalesce(async () => {
    try {
      const changed = await store.changedElsewhere()
      if (changed === 'accounts') own.authenticator.forget()
      if (changed !== 'all') return
      await own.readAnew()
      await own.care.refresh()
    } catch (error) {
      log.error('change of the database not followed', { error: String(error) })
    }
  })
  questions.applied = async () => {
    await refresh()
    return true
  }
  keeper.onChanged(() => void refresh())
  const { maxBodyBytes } = config.server
  const messageBytes = Math.min(maxBodyBytes, own.memory.sockets.messageBytes)
  const listening = listen(app, { messageBytes })
  const { shutdownDelayMs: delayMs, shutdownGraceMs: graceMs } = config.server
  const drain = () => {
    isDraining = true
  }
  const stopping = createStopping({
    ...{ gateway: { ...own, drain }, listening, delayMs, graceMs, log },
  })
  let stopped: Promise<readonly string[]> | undefined

  async function stop(isReplaced: boolean): Promise<readonly string[]> {
    if (isReplaced) drain()
    else await stopping.drain()
    await stopping.endRequests(isReplaced ? lingerMs : 0)
    await stopping.close('changes of the database', refresh)
    report.stop()
    await stopping.close('work in the background', own.stop)
    await stopping.close('the connection to the keeper', keeper.close)
    return stopping.left
  }

  return {
    /**
     * Drains, settles and closes; a second call skips the waiting. `isReplaced`: another one takes connections
     * already, and those of this one are served to their end.
     */
    stop(isReplaced = false): Promise<readonly string[]> {
      if (stopped) stopping.hurry()
      stopped ??= stop(isReplaced)
      return stopped
    },
    waitsFor: stopping.waitsFor,
  }
}

const hostsOf = ({ site }: Config) => createHostRules(site, publicPaths)

/** A worker's part of what all workers together may have. */
export function shareOf(config: Config, { workers }: GroupPlace): Config {
  const share = (most: number | null) => (most === null ? null : Math.ceil(most / workers))
  const { maxRequests, maxConnections } = config.server
  const limits = { maxRequests: share(maxRequests), maxConnections: share(maxConnections) }
  return { ...config, server: { ...config.server, ...limits } }
}

const restarting = () =>
  new GatewayError(
    'overloaded',
    'This gateway is starting again. Nothing is wrong with this request: repeat it in a second.',
    { retryAfter: 1 },
  )
