import { hostname } from 'node:os'
import type { Forwarder } from '../gateway/forward.ts'
import { version } from '../lib/build-info.ts'
import type { Clock } from '../lib/clock.ts'
import { createSingleFlight } from '../lib/concurrency.ts'
import type { Logger } from '../lib/log.ts'
import { cpuMs, residentMemoryBytes } from '../lib/process-state.ts'
import { createGrowth, createPerMinute } from '../lib/rate.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { NodeLoad, NodeStore, NodeView } from '../store/ports/nodes.ts'
import type { DocumentStore } from '../store/ports/store.ts'

/** Interval of heartbeats and of looking for dead nodes: well below `silentNodeMs`. */
const beatMs = 5_000

/** No node counts as dead for this time after an outage of the database: all may have been silent. */
const graceMs = 3 * beatMs

const keptMs = 3_600_000

interface MembershipParts {
  readonly nodes: NodeStore
  readonly load: () => NodeLoad
  readonly log: Logger
  readonly name: string
  readonly tick?: Clock
}

/** This process as one of the nodes. */
export type Membership = Awaited<ReturnType<typeof joinNodes>>

/** Where a process runs; of a group, the process to be signalled. */
export const processName = (isKeeper = false): string =>
  `${hostname()}:${isKeeper ? process.ppid : process.pid}`

const livingIn = (nodes: readonly NodeView[]) => nodes.filter(({ isAlive }) => isAlive).length

/** Registers this process as a node until it leaves. A node taken for dead registers again. */
export async function joinNodes(parts: MembershipParts) {
  const { nodes, load, log, name } = parts
  const { tick = () => performance.now() } = parts
  const others = await nodes.list()
  const id = await nodes.register({ name, version })
  let heardTick = tick()
  // If all are silent at a start, the database may have just come back.
  const isDoubtful = others.length > 0 && !others.some(({ isAlive }) => isAlive)
  /** No node counts as dead before. */
  let graceTick = isDoubtful ? heardTick + graceMs : heardTick
  let known: readonly NodeView[] = []
  let living = 1 + livingIn(others)
  let isCutOff = false

  async function forgetLongDead(): Promise<void> {
    const newest = Math.max(...known.map(({ seenAt }) => seenAt))
    for (const node of known) {
      if (!node.isAlive && newest - node.seenAt > keptMs) {
        await nodes.forget(node.id, node.seenAt)
      }
    }
  }

  async function closeDead(): Promise<void> {
    const interrupted = await nodes.sweepDead()
    if (interrupted === 0) return
    log.warn('requests of a node that died were under way; recorded, nothing charged', {
      interrupted,
    })
  }

  async function sayAndLook(): Promise<void> {
    try {
      if (!(await nodes.heartbeat(id, load()))) {
        await nodes.register({ id, name, version })
        log.warn('this node was not in the list of nodes any more; it has entered again', {
          node: id,
        })
      }
      const now = tick()
      if (now - heardTick > graceMs) graceTick = now + graceMs
      heardTick = now
      if (now >= graceTick) await closeDead()
      known = await nodes.list()
      // Some may not have sent a heartbeat yet.
      living = now >= graceTick ? livingIn(known) : Math.max(living, livingIn(known))
      if (now >= graceTick) await forgetLongDead()
      if (isCutOff) log.info('this node is heard of again', { node: id })
      isCutOff = false
    } catch (error) {
      if (!isCutOff) log.warn('the other nodes hear nothing of this one', { error: String(error) })
      isCutOff = true
      known = []
    }
  }

  const beat = createSingleFlight(sayAndLook)
  const timer = setInterval(beat, beatMs)
  timer.unref()
  return {
    id: () => id,
    /** The nodes as last read; empty until then, and while the database is unreachable. */
    known: () => known,
    /** Number of living nodes with this one; while the database is unreachable, as before. */
    living: () => living,
    /** Sends a heartbeat, closes what dead nodes left open and forgets those long dead. */
    beat,
    async leave(): Promise<void> {
      clearInterval(timer)
      await beat.idle()
      try {
        await nodes.forget(id)
      } catch (error) {
        log.warn('this node stays in the list of nodes until it counts as dead', {
          error: String(error),
        })
      }
    },
  }
}

/** The load of this process. */
export type OwnLoad = Required<Omit<NodeLoad, 'processes'>>

const percentOf = ({ growth, overMs }: ReturnType<ReturnType<typeof createGrowth>>) =>
  overMs > 0 ? Math.round((100 * growth) / overMs) : 0

/** Load that this process reports; read every few seconds. Without `counters` and `documents` it is alone. */
export function createNodeLoad(
  forwarder: Pick<Forwarder, 'requestCount' | 'active' | 'activeStreams'>,
  counters: Pick<Counters, 'isUnavailable'> | undefined,
  documents: Pick<DocumentStore, 'isLeading'> | undefined,
  tick: Clock,
): () => OwnLoad {
  const requestsPerMinute = createPerMinute(forwarder.requestCount, tick)
  const cpu = createGrowth(cpuMs, tick)
  return () => ({
    requests: forwarder.active(),
    streams: forwarder.activeStreams(),
    requestsPerMinute: requestsPerMinute(),
    memoryBytes: residentMemoryBytes(),
    cpuPercent: percentOf(cpu()),
    leads: documents?.isLeading() ?? true,
    counting: !counters ? 'alone' : counters.isUnavailable() ? 'apart' : 'together',
  })
}
