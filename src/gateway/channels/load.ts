import { addTo } from '../../lib/add-to.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Option } from '../admit/options.ts'

interface FirstByte {
  meanMs: number
  samples: number
  lastTick: number
}

export type Load = ReturnType<typeof createLoad>

/** Whole answers are compared apart from streams: their first byte comes last. */
export const seriesOf = (upstreamModel: string, isStreamed: boolean): string =>
  isStreamed ? upstreamModel : `${upstreamModel} whole`

const knownMs = 120_000
/** The old mean's share at the next sample, and its half-life. */
const keptWeight = 0.6
const halfLifeMs = 30_000
/** An outlier is clamped to this many times the mean. */
const surpriseFactor = 4
const surpriseMs = 1_000
const maxFigures = 10_000

/** Counts in memory; `tick` is monotonic, in milliseconds. */
export function createLoad(tick: Clock) {
  const pools = new Map<string, Map<number, number>>()
  const figures = new Map<number, Map<string, FirstByte>>()
  let count = 0

  const isKnown = ({ lastTick }: FirstByte, now: number) => now - lastTick <= knownMs

  function dropExpired(now: number): void {
    for (const [channelId, ofChannel] of figures) {
      for (const [series, figure] of ofChannel) if (!isKnown(figure, now)) ofChannel.delete(series)
      if (ofChannel.size === 0) figures.delete(channelId)
    }
    count = figures.values().reduce((sum, { size }) => sum + size, 0)
    if (count < maxFigures) return
    figures.clear()
    count = 0
  }

  function add(channelId: number, series: string, figure: FirstByte): void {
    if (count >= maxFigures) dropExpired(figure.lastTick)
    const ofChannel = figures.get(channelId) ?? new Map<string, FirstByte>()
    figures.set(channelId, ofChannel.set(series, figure))
    count++
  }

  return {
    /** A pool is what weights divide, such as the requests for one offer. */
    began(name: string, channelId: number): void {
      const pool = pools.get(name) ?? new Map<number, number>()
      if (pool.size === 0) pools.set(name, pool)
      addTo(pool, channelId, 1)
    },
    ended(name: string, channelId: number): void {
      const pool = pools.get(name)
      if (pool?.has(channelId)) addTo(pool, channelId, -1)
      if (pool?.size === 0) pools.delete(name)
    },
    inFlight: (name: string, channelId: number): number => pools.get(name)?.get(channelId) ?? 0,
    /** A channel's first byte took this long, or had not come by then. */
    sample(channelId: number, series: string, firstByteMs: number): void {
      const now = tick()
      const figure = figures.get(channelId)?.get(series)
      if (figure === undefined) {
        add(channelId, series, { meanMs: firstByteMs, samples: 1, lastTick: now })
      } else if (isKnown(figure, now)) {
        const kept = keptWeight * 0.5 ** ((now - figure.lastTick) / halfLifeMs)
        const sample = Math.min(firstByteMs, figure.meanMs * surpriseFactor + surpriseMs)
        figure.meanMs = figure.meanMs * kept + sample * (1 - kept)
        figure.samples++
        figure.lastTick = now
      } else {
        figure.meanMs = firstByteMs
        figure.samples = 1
        figure.lastTick = now
      }
    },
    firstByte(channelId: number, series: string): FirstByte | undefined {
      const figure = figures.get(channelId)?.get(series)
      return figure && isKnown(figure, tick()) ? figure : undefined
    },
  }
}

const slowFactor = 3
const slowMs = 1_000

/** Whether a channel is slow compared with the best alternative, a mean in ms. */
export function isSlow(figure: FirstByte | undefined, bestMs: number): boolean {
  if (figure === undefined || figure.samples < 2) return false
  return figure.meanMs > bestMs * slowFactor && figure.meanMs > bestMs + slowMs
}

/** The rank of an option before its priority. */
export const levels = { fresh: 0, asked: 1, draining: 2 } as const
type Level = (typeof levels)[keyof typeof levels]

export interface Ranked {
  readonly option: Option
  readonly key: string
  readonly series: string
  readonly level: Level
  /** Ranks behind its equals: its bound conversation has moved away. */
  readonly hasMovedAway: boolean
}

interface RankingParts {
  readonly load: Load
  readonly random: () => number
  readonly pool: string
}

const slowWeight = 4
const busyFactor = 1.2

/** The best by level, priority and protocol, then at random by weight, avoiding a busier one. */
export function chooseRanked(parts: RankingParts, ranked: readonly Ranked[]): Ranked | undefined {
  const [first] = ranked
  if (first === undefined || ranked.length === 1) return first
  let best = first
  let equals: Ranked[] = []
  for (const one of ranked) {
    const order = compare(one, best)
    if (order > 0) continue
    if (order < 0) equals = []
    equals.push(one)
    best = one
  }
  return equals.length === 1 ? best : draw(parts, equals)
}

/** The smallest of exponential draws with these rates is a random choice by weight. */
function draw({ load, random, pool }: RankingParts, equals: readonly Ranked[]): Ranked | undefined {
  const figures = equals.map((ranked) => firstByteOf(load, ranked))
  const bestMs = leastMean(figures)
  let one: Drawn | undefined
  let other: Drawn | undefined
  const all = { weight: 0, inFlight: 0 }
  for (const [i, ranked] of equals.entries()) {
    const weight = weightOf(ranked, isSlow(figures[i], bestMs))
    const inFlight = load.inFlight(pool, ranked.option.channel.id)
    all.weight += weight
    all.inFlight += inFlight
    const at = -Math.log(1 - random()) / weight
    if (other !== undefined && at >= other.at) continue
    const drawn = { ranked, at, weight, inFlight }
    if (one === undefined || at < one.at) {
      other = one
      one = drawn
    } else other = drawn
  }
  return one && other && isBusier(one, other, all) ? other.ranked : one?.ranked
}

function weightOf({ option }: Ranked, slow: boolean): number {
  const weight = Math.max(option.channel.weight, Number.EPSILON)
  return slow ? weight / slowWeight : weight
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.level - b.level ||
    a.option.channel.priority - b.option.channel.priority ||
    Number(b.option.isNative) - Number(a.option.isNative) ||
    Number(a.hasMovedAway) - Number(b.hasMovedAway)
  )
}

/** Whether an option is slow compared with the best alternative. */
export function isSlowAmong(load: Load, one: Ranked, ranked: readonly Ranked[]): boolean {
  const figure = firstByteOf(load, one)
  if (figure === undefined) return false
  const others = ranked.filter(
    (other) => other !== one && compare({ ...one, level: levels.fresh }, other) === 0,
  )
  return isSlow(figure, leastMean(others.map((other) => firstByteOf(load, other))))
}

function leastMean(figures: readonly (FirstByte | undefined)[]): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (const figure of figures) if (figure && figure.meanMs < leastMs) leastMs = figure.meanMs
  return leastMs
}

const firstByteOf = (load: Load, { option, series }: Ranked) =>
  load.firstByte(option.channel.id, series)

interface Busy {
  readonly weight: number
  readonly inFlight: number
}

interface Drawn extends Busy {
  readonly ranked: Ranked
  readonly at: number
}

/** Whether one has clearly more than its share of the load, and the other less. */
function isBusier(one: Busy, other: Busy, all: Busy): boolean {
  const share = one.weight / all.weight
  const fair = all.inFlight * share
  const spread = Math.sqrt(fair * (1 - share))
  if (one.inFlight <= fair * busyFactor + 2 * spread + 1) return false
  return one.inFlight / one.weight > other.inFlight / other.weight
}
