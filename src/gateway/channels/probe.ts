import type { Catalog, Channel } from '../../catalog/catalog.ts'
import { type Clock, type Repeat, repeatByTimer } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { failureClasses } from '../failures/failures.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Health } from './health.ts'
import { type Load, seriesOf } from './load.ts'
import { callProbe, type ProbeResult } from './probe-call.ts'

interface ProberParts {
  readonly catalog: () => Catalog
  readonly outbound: Outbound
  readonly health: Pick<
    Health,
    'standing' | 'coolings' | 'begin' | 'succeeded' | 'failed' | 'ended'
  >
  readonly load: Pick<Load, 'firstByte'>
  readonly clock: Clock
  readonly tick: Clock
  readonly log: Logger
  readonly random: () => number
  readonly repeat?: Repeat | undefined
}

interface Probed {
  readonly channel: Channel
  readonly everyMs: number
  readonly model: string
}

interface Schedule {
  readonly everyMs: number
  dueTick: number
  answeredTick: number
  isAsked: boolean
  turn: number
}

const roundMs = 1_000
const maxAtOnce = 4

/** Probes channels at their own pace, unless client requests say as much. Charges no account. */
export function createProber(parts: ProberParts) {
  const { health, load, tick, log, random, repeat = repeatByTimer } = parts
  const schedules = new Map<number, Schedule>()
  const underWay = new Set<Promise<unknown>>()
  let stopping = new AbortController()
  let stopRounds: (() => void) | undefined
  let known: { readonly catalog: Catalog; readonly probed: readonly Probed[] } | undefined

  function probedNow(): readonly Probed[] {
    const catalog = parts.catalog()
    if (known?.catalog === catalog) return known.probed
    const probed = findProbed(catalog)
    known = { catalog, probed }
    const ids = new Set(probed.map(({ channel }) => channel.id))
    for (const id of schedules.keys()) if (!ids.has(id)) schedules.delete(id)
    return probed
  }

  /** Spread over time, from the start on. */
  function scheduleOf({ channel, everyMs }: Probed, now: number): Schedule {
    const found = schedules.get(channel.id)
    if (found?.everyMs === everyMs) return found
    const schedule: Schedule = {
      everyMs,
      dueTick: now + everyMs * random(),
      answeredTick: Number.NEGATIVE_INFINITY,
      isAsked: false,
      turn: 0,
    }
    schedules.set(channel.id, schedule)
    return schedule
  }

  function round(): void {
    const now = tick()
    for (const probed of probedNow()) {
      const { channel, everyMs, model } = probed
      const schedule = scheduleOf(probed, now)
      // Load expires soon: the time of its samples is kept.
      for (const isStreamed of [true, false]) {
        const answered = load.firstByte(channel.id, seriesOf(model, isStreamed))?.lastTick
        schedule.answeredTick = Math.max(schedule.answeredTick, answered ?? schedule.answeredTick)
      }
      if (now < schedule.dueTick || schedule.isAsked || underWay.size >= maxAtOnce) continue
      schedule.dueTick = now + everyMs * (0.9 + 0.2 * random())
      if (isKnownHealthy(probed, schedule, now) || wantsPeace(probed)) continue
      void run(probed, schedule)
    }
  }

  function run(probed: Probed, schedule: Schedule): Promise<ProbeResult | undefined> {
    schedule.isAsked = true
    const asking = ask(probed, schedule).finally(() => {
      schedule.isAsked = false
      underWay.delete(asking)
    })
    underWay.add(asking)
    return asking
  }

  function isKnownHealthy(
    { channel, everyMs, model }: Probed,
    { answeredTick, turn }: Schedule,
    now: number,
  ) {
    if (now - answeredTick >= everyMs) return false
    return health.standing(channel, keyInTurn(channel, turn), model) === 'ready'
  }

  function wantsPeace({ channel, model }: Probed): boolean {
    return health
      .coolings()
      .some(
        (row) =>
          row.channelId === channel.id &&
          row.cause === 'upstream_rate_limited' &&
          (row.model === '' || row.model === model),
      )
  }

  async function ask(
    { channel, model }: Probed,
    schedule: Schedule,
  ): Promise<ProbeResult | undefined> {
    const key = keyInTurn(channel, schedule.turn++)
    const use = health.begin(channel, key, model)
    const startedTick = tick()
    try {
      const result = await callProbe(parts, { channel, key, model }, stopping.signal)
      const { failure: name, retryAfterMs } = result
      if (name === undefined) health.succeeded(use)
      else {
        const { cools } = failureClasses[name]
        health.failed(use, { name, cools, retryAfterMs })
      }
      logResult(channel, model, result, tick() - startedTick)
      return result
    } catch (error) {
      if (!stopping.signal.aborted)
        log.error('probe failed unexpectedly', { channel: channel.name, error })
      return undefined
    } finally {
      health.ended(use)
    }
  }

  function logResult(
    channel: Channel,
    model: string,
    result: ProbeResult,
    durationMs: number,
  ): void {
    const { failure, status, usage, error } = result
    const fields = {
      channel: channel.name,
      model,
      status,
      duration_ms: Math.round(durationMs),
      input_tokens: usage && usage.inputTokens + usage.cacheReadTokens,
      cache_write_tokens: usage && usage.cacheWriteTokens + usage.cacheWrite1hTokens,
      output_tokens: usage?.outputTokens,
    }
    const message = error instanceof Error ? error.message : undefined
    if (failure === undefined) log.info('probe answered', fields)
    else log.warn('probe failed', { ...fields, cause: failure, error: message })
  }

  return {
    start(): void {
      if (stopRounds) return
      stopping = new AbortController()
      stopRounds = repeat(round, roundMs)
    },
    async stop(): Promise<void> {
      stopRounds?.()
      stopRounds = undefined
      stopping.abort()
      await Promise.all(underWay)
    },
    /** Probes one channel now; undefined without a model to probe, or when stopped. */
    async probe(channel: Channel): Promise<ProbeResult | undefined> {
      const probed = probedNow().find((one) => one.channel.id === channel.id)
      return probed && (await run(probed, scheduleOf(probed, tick())))
    },
  }
}

function keyInTurn({ keys, name }: Channel, turn: number): string {
  const key = keys[turn % keys.length]
  if (key === undefined) throw new Error(`channel ${name} has no key`)
  return key
}

/** Channels that clients can reach, each with the model to probe. */
function findProbed({ groups, channels }: Catalog): readonly Probed[] {
  const wanted = new Map<number, Probed>()
  for (const group of groups.values()) {
    if (!group.enabled) continue
    for (const { model, candidates } of group.offers.values()) {
      for (const { channel, upstreamModel } of candidates) {
        const { id, probe, isDraining } = channel
        if (probe === null || isDraining || wanted.has(id) || !channels.has(id)) continue
        if (channel.keys.length === 0) continue
        // Without a name: its first model on sale.
        if (probe.model !== null && probe.model !== model) continue
        wanted.set(id, { channel, everyMs: probe.everyMs, model: upstreamModel })
      }
    }
  }
  return [...wanted.values()]
}
