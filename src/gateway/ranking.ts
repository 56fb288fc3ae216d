import { isSlow, type Load } from './load.ts'
import type { Option } from './options.ts'

/** How far back in line an option stands, beside its priority. */
export const levels = { fresh: 0, asked: 1, draining: 2 } as const
export type Level = (typeof levels)[keyof typeof levels]

/** An option that can be asked now. */
export interface Ranked {
  readonly option: Option
  /** Its key whose turn it is. */
  readonly key: string
  /** With which of its answers it is compared. */
  readonly series: string
  readonly level: Level
  /** Behind its equals: the conversation that is bound to it has left it. */
  readonly isLeft: boolean
}

export interface RankingParts {
  readonly load: Load
  readonly random: () => number
}

/** What a slow channel's weight is divided by. */
const slowWeight = 4
/** How much more busy for its weight a channel must be to be passed over, and with how many at least. */
const busyFactor = 1.5
const busyLeast = 4

/**
 * The one to ask of those that can be asked: by level, then priority, then those that speak the
 * client's protocol; among equals at random by weight, but not the clearly busier one of the two
 * that were drawn first. Undefined when there is none.
 */
export function chooseRanked(
  { load, random }: RankingParts,
  ranked: readonly Ranked[],
): Ranked | undefined {
  const [first] = ranked
  if (first === undefined || ranked.length === 1) return first
  let best = first
  for (const one of ranked) if (compare(one, best) < 0) best = one
  const equals = ranked.filter((one) => compare(one, best) === 0)
  if (equals.length === 1) return best
  return draw(load, equals, random)
}

/** Of exponential draws with these rates the smallest one is a random choice by weight. */
function draw(load: Load, equals: readonly Ranked[], random: () => number): Ranked | undefined {
  const bestMs = bestFirstByteMs(load, equals)
  let one: Drawn | undefined
  let other: Drawn | undefined
  for (const ranked of equals) {
    const weight = weightOf(load, ranked, bestMs)
    const at = -Math.log(1 - random()) / weight
    if (other !== undefined && at >= other.at) continue
    const drawn = { ranked, at, weight, inFlight: load.inFlight(ranked.option.channel.id) }
    if (one === undefined || at < one.at) {
      other = one
      one = drawn
    } else other = drawn
  }
  return one && other && isBusier(one, other) ? other.ranked : one?.ranked
}

function weightOf(load: Load, ranked: Ranked, bestMs: number): number {
  const weight = Math.max(ranked.option.channel.weight, Number.EPSILON)
  return isSlow(firstByteOf(load, ranked), bestMs) ? weight / slowWeight : weight
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.level - b.level ||
    a.option.channel.priority - b.option.channel.priority ||
    Number(b.option.isNative) - Number(a.option.isNative) ||
    Number(a.isLeft) - Number(b.isLeft)
  )
}

/** Whether one of these is slow beside the best that could be asked in its stead. */
export function isSlowest(load: Load, one: Ranked, ranked: readonly Ranked[]): boolean {
  const figure = firstByteOf(load, one)
  if (figure === undefined) return false
  const others = ranked.filter(
    (other) => other !== one && compare({ ...one, level: levels.fresh }, other) === 0,
  )
  return isSlow(figure, bestFirstByteMs(load, others))
}

/** The shortest mean time to first byte of these, in milliseconds; infinite when none is known. */
function bestFirstByteMs(load: Load, ranked: readonly Ranked[]): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (const one of ranked) {
    const figure = firstByteOf(load, one)
    if (figure && figure.meanMs < bestMs) bestMs = figure.meanMs
  }
  return bestMs
}

const firstByteOf = (load: Load, { option, series }: Ranked) =>
  load.firstByte(option.channel.id, series)

interface Drawn {
  readonly ranked: Ranked
  /** The smallest one is drawn first. */
  readonly at: number
  readonly weight: number
  readonly inFlight: number
}

function isBusier(one: Drawn, other: Drawn): boolean {
  if (one.inFlight < busyLeast) return false
  return (one.inFlight + 1) / one.weight > (busyFactor * (other.inFlight + 1)) / other.weight
}
