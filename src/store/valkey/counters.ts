import { randomUUID } from 'node:crypto'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { CoolingBoard, Counters, SharedTexts } from '../ports/counters.ts'
import type { CoolingId, CoolingRow } from '../ports/health.ts'
import { limitCounters } from './limits.ts'
import { createLink, type Link } from './link.ts'
import { beatScript, dropScript, partMs, readCoolingScript, writeCoolingScript } from './scripts.ts'

/** How counters are opened. */
interface ValkeyOptions {
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

/** How long a row is kept after its last change, in milliseconds: longer than any cooldown that an upstream may ask for. */
const keptMs = 7_200_000

/** Where the board hangs. */
interface Place {
  readonly prefix: string
  /** Holds the name of the server's memory. */
  readonly memoryKey: string
  /** That name as this node knows it. */
  readonly memory: () => string
}

/** What cools: a hash of rows, and a count of its changes, so that looking again costs next to nothing. */
function coolingBoard(
  { run }: Pick<Link, 'run'>,
  { prefix, memoryKey, memory }: Place,
): CoolingBoard {
  const keys = [`${prefix}:cooling`, `${prefix}:cooling-version`]
  return {
    async write(changed, ended) {
      const rows = changed.flatMap((row) => [idOf(row), JSON.stringify(row)])
      const over = ended.flatMap((row) => [idOf(row), String(row.since)])
      const values = [String(keptMs), String(changed.length), ...rows, ...over]
      await run(writeCoolingScript, keys, values)
    },
    async read(version) {
      const found = await run(readCoolingScript, [...keys, memoryKey], [version, memory()])
      const [newest, rows = []] = found as readonly [string?, (readonly string[])?]
      if (newest === undefined) return undefined
      return { version: newest, rows: rows.map((row) => JSON.parse(row) as CoolingRow) }
    },
  }
}

const idOf = ({ channelId, key, model }: CoolingId) => `${channelId} ${key} ${model}`

/** As long as a binding in memory, in milliseconds. */
const usualMs = 3_600_000

/** Short texts by name, which are forgotten some time after their last use. */
function sharedTexts({ run, send }: Pick<Link, 'run' | 'send'>, prefix: string): SharedTexts {
  const keyOf = (name: string) => `${prefix}:text:${name}`
  return {
    async get(name, keptMs = usualMs) {
      const found = await send('GETEX', [keyOf(name), 'PX', String(keptMs)])
      return typeof found === 'string' ? found : undefined
    },
    async set(name, text, keptMs = usualMs) {
      await send('SET', [keyOf(name), text, 'PX', String(keptMs)])
    },
    async drop(name, beginning) {
      await run(dropScript, [keyOf(name)], [beginning])
    },
  }
}

/**
 * By which rule a server throws entries away when its memory is full (`maxmemory-policy`); undefined:
 * it keeps them, has no bound, or does not say: some hosted ones do not.
 */
async function evictionOf(link: Pick<Link, 'ask'>): Promise<string | undefined> {
  const text = await link.ask('INFO', ['memory']).catch(() => undefined)
  if (typeof text !== 'string') return undefined
  const fields = new Map(
    text.split('\r\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split(':')
      return [name, value]
    }),
  )
  const policy = fields.get('maxmemory_policy')
  const isBounded = Number(fields.get('maxmemory') ?? 0) > 0
  return isBounded && policy !== 'noeviction' ? policy : undefined
}
