import { randomUUID } from 'node:crypto'
import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Limits } from '../ports/catalog.ts'
import type {
  Admission,
  Admitted,
  CoolingBoard,
  CoolingId,
  CoolingRow,
  Counters,
  LimitCounters,
  Report,
  SharedTexts,
  Shortage,
} from '../ports/counters.ts'
import { createLink, type Link } from './link.ts'
import {
  admitScript,
  beatScript,
  dropScript,
  partMs,
  readCoolingScript,
  reportScript,
  writeCoolingScript,
} from './scripts.ts'

interface ValkeyOptions {
  readonly url: string
  readonly log: Logger
  /** The prefix of all names: gateways with one prefix count together. */
  readonly prefix?: string
  /** The number of live nodes by the store: this server may be unavailable from the start. */
  readonly living?: (() => number) | undefined
  /** How long a dead node's slots stay taken. */
  readonly leaseMs?: number
  readonly patienceMs?: number | undefined
  readonly repeat?: Repeat
}

const usualLeaseMs = 20_000
/** Heartbeats in a lease: one or two may get lost. */
const beatsPerLease = 4

type Beat = readonly [nodes: number, memory: string, now: number]

/** Counts in a Valkey or Redis. Resolves when it is connected, or has failed to be once. */
export async function openValkeyCounters(options: ValkeyOptions): Promise<Counters> {
  const { url, log, prefix = 'tollgate', leaseMs = usualLeaseMs, repeat = repeatByTimer } = options
  const { living = () => 1 } = options
  const node = randomUUID()
  const memoryKey = `${prefix}:memory`
  const nodesKey = `${prefix}:nodes`
  const listeners: ((isEmpty: boolean) => void)[] = []
  let knownNodes = 1
  let memory = ''
  let isEmpty = true
  /** The last warning, so that a flapping network does not repeat it. */
  let reportedPolicy: string | undefined
  let warned: Promise<void> | undefined
  /** The server's clock less this process's monotonic one. */
  let offsetMs = Date.now() - performance.now()

  async function beat(run: Link['run']): Promise<void> {
    const values = [node, String(leaseMs), randomUUID()]
    const [count, name, now] = (await run(beatScript, [nodesKey, memoryKey], values)) as Beat
    offsetMs = now - performance.now()
    knownNodes = count
    isEmpty = memory !== name
    memory = name
  }

  /** An emptied or unavailable server knows fewer. */
  const nodes = () => Math.max(knownNodes, living())

  const reportAvailable = () => {
    for (const listener of listeners) listener(isEmpty)
  }

  const link = createLink({
    ...{ url, patienceMs: options.patienceMs },
    greet: ({ run }) => beat(run),
    onUnavailable(reason) {
      log.warn('shared counters are unavailable: this node enforces its share of the limits', {
        ...{ reason, nodes: nodes() },
      })
    },
    onAvailable(wasUnavailable) {
      if (wasUnavailable) log.info('shared counters are available again', { nodes: nodes() })
      reportAvailable()
      warned = warnOfEviction()
    },
  })

  async function warnOfEviction(): Promise<void> {
    const policy = await evictionOf(link)
    if (policy === undefined || policy === reportedPolicy) return
    reportedPolicy = policy
    log.warn(
      'shared counters can be lost when the memory of their server is full: limits would let more through. Set its maxmemory-policy to noeviction',
      { policy },
    )
  }

  async function beatAgain(): Promise<void> {
    if (link.isUnavailable()) return
    try {
      await beat(link.run)
      if (isEmpty) reportAvailable()
    } catch {
      return // `onUnavailable` has reported it
    }
  }

  await link.open()
  const stopBeats = repeat(() => void beatAgain(), leaseMs / beatsPerLease)
  return {
    ...limitCounters(link, prefix, leaseMs),
    ...sharedTexts(link, prefix),
    ...coolingBoard(link, prefix, memoryKey, () => memory),
    isUnavailable: link.isUnavailable,
    nodes,
    partAt: (tick) => Math.floor((tick + offsetMs) / partMs),
    leaseMs,
    onBack: (listener) => listeners.push(listener),
    async close() {
      stopBeats()
      await warned
      await link.send('ZREM', [nodesKey, node]).catch(() => {}) // its lease expires
      link.close()
    },
  }
}

/** How long a row stays after its last change, in milliseconds: longer than any cooldown. */
const keptMs = 7_200_000

/** Cooldowns: a hash of rows, and a count of its changes. `memory` names the memory that is known. */
function coolingBoard(
  { run }: Pick<Link, 'run'>,
  prefix: string,
  memoryKey: string,
  memory: () => string,
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

/** The server's `maxmemory-policy`, where it may throw entries away; undefined: it keeps them. */
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

/** The most steps in one call, which blocks the server. */
const stepsPerCall = 250

const limitNames: readonly (keyof Limits)[] = ['rpm', 'tpm', 'concurrency']

/** Limits by two scripts, each one round trip. */
function limitCounters({ run }: Pick<Link, 'run'>, prefix: string, leaseMs: number): LimitCounters {
  const windowOf = (name: string) => `${prefix}:window:${name}`
  const slotsOf = (name: string) => `${prefix}:slots:${name}`
  const lease = String(leaseMs)

  function callsOf({ changes = [], freed = [], kept = [] }: Report): Step[][] {
    const steps: readonly Step[] = [
      ...changes.map(({ name, part, requests, llmTokens }) => ({
        key: windowOf(name),
        values: ['change', String(part), String(requests), String(llmTokens)],
      })),
      ...freed.map(({ name, slot }) => ({ key: slotsOf(name), values: ['freed', slot, '', ''] })),
      ...kept.map(({ name, slot }) => ({ key: slotsOf(name), values: ['kept', slot, '', ''] })),
    ]
    const calls = Math.ceil(steps.length / stepsPerCall)
    return Array.from({ length: calls }, (_, at) =>
      steps.slice(at * stepsPerCall, (at + 1) * stepsPerCall),
    )
  }

  async function send(steps: readonly Step[]): Promise<void> {
    const values = steps.flatMap((step) => step.values)
    const keys = steps.map(({ key }) => key)
    await run(reportScript, keys, [lease, ...values])
  }

  async function sendInTurn(calls: readonly (readonly Step[])[]): Promise<void> {
    for (const steps of calls) await send(steps)
  }

  return {
    async admit({ counted, llmTokens, slot }: Admission): Promise<Admitted> {
      const keys: string[] = []
      const values = [String(llmTokens), slot, lease]
      for (const { name, limits } of counted) {
        keys.push(windowOf(name), slotsOf(name))
        values.push(textOf(limits.rpm), textOf(limits.tpm), textOf(limits.concurrency))
      }
      const found = (await run(admitScript, keys, values)) as readonly number[]
      if (found[0] === 1) return { ok: true, part: found[1] ?? 0 }
      return { ok: false, shortages: shortagesIn(found) }
    },
    async report({ kept = [], ...rest }) {
      // All renewals go out in one turn: a later release of a slot follows them.
      await Promise.all([sendInTurn(callsOf(rest)), ...callsOf({ kept }).map(send)])
    },
  }
}

const textOf = (limit: number | null) => (limit === null ? '' : String(limit))

/** Three numbers each, after the first: its place from 1, the place of its limit from 1, ms. */
function shortagesIn(found: readonly number[]): Shortage[] {
  const shortages: Shortage[] = []
  for (let from = 1; from + 2 < found.length; from += 3) {
    const [at = 0, limit = 0, retryAfterMs = 0] = found.slice(from, from + 3)
    const name = limitNames[limit - 1]
    if (name) shortages.push({ at: at - 1, limit: name, retryAfterMs })
  }
  return shortages
}

interface Step {
  readonly key: string
  readonly values: readonly string[]
}
