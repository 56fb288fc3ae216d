import type { Option } from '../admit/options.ts'
import type { FirstByte, Load } from './load.ts'

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

/** Chooses at random, by weight: each draws from an exponential distribution of its rate, and the smallest wins. */
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
