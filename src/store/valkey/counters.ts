import { randomUUID } from 'node:crypto'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Counters } from '../ports/counters.ts'
import { coolingBoard } from './cooling.ts'
import { evictionOf } from './eviction.ts'
import { limitCounters } from './limits.ts'
import { createLink, type Link } from './link.ts'
import { beatScript, partMs } from './scripts.ts'
import { sharedTexts } from './texts.ts'

/** How counters are opened. */
export interface ValkeyOptions {
  readonly url: string
  readonly log: Logger
  /** What all names begin with: gateways of one prefix count together. */
  readonly prefix?: string
  /** How many nodes live as far as is known elsewhere: this server may be away from the beginning. */
  readonly living?: (() => number) | undefined
  /** How long a dead node's slots stay taken. */
  readonly leaseMs?: number
  /** How long an answer may take. */
  readonly patienceMs?: number | undefined
  readonly repeat?: Repeat
}

const usualLeaseMs = 20_000
/** Signs of life in a lease: one or two may get lost. */
const beatsPerLease = 4

/** The answer to a sign of life: how many nodes live, the name of the memory, and now. */
type Beat = readonly [nodes: number, memory: string, now: number]

/**
 * Counts in a Valkey or Redis, shared by all nodes. Resolves when it is connected, or has failed to
 * be once: it is tried again for as long as it takes. Tells the log when it goes and comes back.
 */
export async function openValkeyCounters(options: ValkeyOptions): Promise<Counters> {
  const { url, log, prefix = 'tollgate', leaseMs = usualLeaseMs, repeat = repeatByTimer } = options
  const { living = () => 1 } = options
  const node = randomUUID()
  const memoryKey = `${prefix}:memory`
  const nodesKey = `${prefix}:nodes`
  const listeners: ((isEmpty: boolean) => void)[] = []
  let told = 1
  let memory = ''
  let isEmpty = true
  /** What was warned of last: a network that goes and comes changes nothing in it. */
  let toldPolicy: string | undefined
  let warned: Promise<void> | undefined
  /** The server's clock less this process's monotonic one. */
  let offsetMs = Date.now() - performance.now()

  async function beat(run: Link['run']): Promise<void> {
    const values = [node, String(leaseMs), randomUUID()]
    const [count, name, now] = (await run(beatScript, [nodesKey, memoryKey], values)) as Beat
    offsetMs = now - performance.now()
    told = count
    isEmpty = memory !== name
    memory = name
  }

  /** An emptied server, or one that was never there, knows fewer than there are. */
  const nodes = () => Math.max(told, living())

  const tellBack = () => {
    for (const listener of listeners) listener(isEmpty)
  }

  const link = createLink({
    ...{ url, patienceMs: options.patienceMs },
    greet: ({ run }) => beat(run),
    onAway(reason) {
      log.warn('shared counters are out of reach: this node keeps to its share of the limits', {
        ...{ reason, nodes: nodes() },
      })
    },
    onBack(wasAway) {
      if (wasAway) log.info('shared counters are within reach again', { nodes: nodes() })
      tellBack()
      warned = warnOfEviction()
    },
  })

  async function warnOfEviction(): Promise<void> {
    const policy = await evictionOf(link)
    if (policy === undefined || policy === toldPolicy) return
    toldPolicy = policy
    log.warn(
      'shared counters can be lost when the memory of their server is full: limits would let more through. Set its maxmemory-policy to noeviction',
      { policy },
    )
  }

  async function beatAgain(): Promise<void> {
    if (link.isAway()) return
    try {
      await beat(link.run)
      if (isEmpty) tellBack()
    } catch {
      return // whoever watches the link was told
    }
  }

  await link.open()
  const stopBeats = repeat(() => void beatAgain(), leaseMs / beatsPerLease)
  return {
    ...limitCounters(link, prefix, leaseMs),
    ...sharedTexts(link, prefix),
    ...coolingBoard(link, { prefix, memoryKey, memory: () => memory }),
    isAway: link.isAway,
    nodes,
    partAt: (tick) => Math.floor((tick + offsetMs) / partMs),
    leaseMs,
    onBack: (listener) => listeners.push(listener),
    async close() {
      stopBeats()
      await warned
      await link.send('ZREM', [nodesKey, node]).catch(() => {}) // its lease ends by itself, too
      link.close()
    },
  }
}
