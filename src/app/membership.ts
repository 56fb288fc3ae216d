import { hostname } from 'node:os'
import { version } from '../../package.json'
import type { Forwarder } from '../gateway/forward.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { createPerMinute } from '../lib/rate.ts'
import { createSingle } from '../lib/turns.ts'
import type { Counters } from '../store/ports/counters.ts'
import type { Counting, NodeLoad, NodeStore, NodeView } from '../store/ports/nodes.ts'
import type { DocumentStore } from '../store/ports/store.ts'

/** How often a node says that it lives, and looks for dead ones: well within `silentNodeMs`. */
const beatMs = 5_000

/** After an outage of the database no node is dead for this time: all may have been silent. */
const graceMs = 3 * beatMs

/** Dead nodes stay in the list for so long, for people to see. */
const keptMs = 3_600_000

interface MembershipParts {
  readonly nodes: NodeStore
  readonly load: () => NodeLoad
  readonly log: Logger
  /** Where this node runs, for people; default: its machine and process. */
  readonly name?: string
  /** Monotonic, in milliseconds. */
  readonly tick?: Clock
}

/** A process that is one of the nodes. */
export interface Membership {
  /** Its number in the list. */
  id(): number
  /** The list, as it was last looked at; empty before that, and while this node is cut off. */
  known(): readonly NodeView[]
  /** How many live, with this one, as far as is known: while it is cut off, as many as before. */
  living(): number
  /** Says that it lives, closes what dead nodes left open and forgets those long dead. */
  beat(): Promise<void>
  /** Leaves the list: nothing of its own is under way any more. */
  leave(): Promise<void>
}

/** Where this process runs, for people. */
export const processName = (): string => `${hostname()}:${process.pid}`

const livingIn = (nodes: readonly NodeView[]) => nodes.filter(({ isAlive }) => isAlive).length

/** Registers this process as a node until it leaves. A node taken for dead registers again. */
export async function joinNodes(parts: MembershipParts): Promise<Membership> {
  const { nodes, load, log, name = processName() } = parts
  const { tick = () => performance.now() } = parts
  const others = await nodes.list()
  const id = await nodes.register({ name, version })
  let heardTick = tick()
  // Where all are silent at a start, the database may have come back a moment ago.
  const isDoubtful = others.length > 0 && !others.some(({ isAlive }) => isAlive)
  /** Nobody is taken for dead before. */
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
      // Some may only not have been heard again yet.
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

  const beat = createSingle(sayAndLook)
  const timer = setInterval(beat, beatMs)
  timer.unref()
  return {
    id: () => id,
    known: () => known,
    living: () => living,
    beat,
    async leave() {
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

interface NodeLoadParts {
  readonly forwarder: Pick<Forwarder, 'begun' | 'active' | 'activeStreams'>
  /** Undefined: this node counts in its memory. */
  readonly counters: Pick<Counters, 'isAway'> | undefined
  /** Undefined: there is one node, which builds its own. */
  readonly documents: Pick<DocumentStore, 'isLeading'> | undefined
  /** Monotonic, in milliseconds. */
  readonly tick: Clock
}

/** What this node tells of itself; asked every few seconds. */
export function createNodeLoad(parts: NodeLoadParts): () => Required<NodeLoad> {
  const { forwarder, counters, documents, tick } = parts
  const requestsPerMinute = createPerMinute(forwarder.begun, tick)
  return () => ({
    requests: forwarder.active(),
    streams: forwarder.activeStreams(),
    requestsPerMinute: requestsPerMinute(),
    leads: documents?.isLeading() ?? true,
    counting: countingOf(counters),
  })
}

function countingOf(counters: NodeLoadParts['counters']): Counting {
  if (counters === undefined) return 'alone'
  return counters.isAway() ? 'apart' : 'together'
}
