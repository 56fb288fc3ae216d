import type { Clock } from '../../lib/clock.ts'

export interface FirstByte {
  meanMs: number
  samples: number
  lastTick: number
}

/** What channels have to do at present, and how fast they begin to answer. */
export interface Load {
  /** A pool is what is shared out together by weight, such as the requests for one offer. */
  began(pool: string, channelId: number): void
  ended(pool: string, channelId: number): void
  inFlight(pool: string, channelId: number): number
  /** A channel answered so long after sending, or had not by then. */
  sample(channelId: number, series: string, firstByteMs: number): void
  /** Undefined: it is not known, or not any more. */
  firstByte(channelId: number, series: string): FirstByte | undefined
}

/** Whole answers are compared apart from streams: their first byte comes last. */
export const seriesOf = (upstreamModel: string, isStreamed: boolean): string =>
  isStreamed ? upstreamModel : `${upstreamModel} whole`

const knownMs = 120_000
/** What the old mean keeps of its weight at the next sample, and when it has lost half of that. */
const keptWeight = 0.6
const halfLifeMs = 30_000
/** One answer far beyond the mean says less than it seems to. */
const surpriseFactor = 4
const surpriseMs = 1_000
/** Of all channels together; beyond it, what is not known any more is thrown away. */
const maxFigures = 10_000

/** Counts in memory; `tick` is monotonic, in milliseconds. */
export function createLoad(tick: Clock): Load {
  const pools = new Map<string, Map<number, number>>()
  const figures = new Map<number, Map<string, FirstByte>>()
  let count = 0

  const isKnown = ({ lastTick }: FirstByte, now: number) => now - lastTick <= knownMs

  function makeRoom(now: number): void {
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
    if (count >= maxFigures) makeRoom(figure.lastTick)
    const ofChannel = figures.get(channelId) ?? new Map<string, FirstByte>()
    figures.set(channelId, ofChannel.set(series, figure))
    count++
  }

  return {
    began(name, channelId) {
      const pool = pools.get(name) ?? new Map<number, number>()
      if (pool.size === 0) pools.set(name, pool)
      pool.set(channelId, (pool.get(channelId) ?? 0) + 1)
    },
    ended(name, channelId) {
      const pool = pools.get(name)
      const left = (pool?.get(channelId) ?? 0) - 1
      if (left > 0) pool?.set(channelId, left)
      else pool?.delete(channelId)
      if (pool?.size === 0) pools.delete(name)
    },
    inFlight: (name, channelId) => pools.get(name)?.get(channelId) ?? 0,
    sample(channelId, series, firstByteMs) {
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
    firstByte(channelId, series) {
      const figure = figures.get(channelId)?.get(series)
      return figure && isKnown(figure, tick()) ? figure : undefined
    },
  }
}

const slowFactor = 3
const slowMs = 1_000

/** Whether a channel is slow beside the best of those that could answer instead, a mean in ms. */
export function isSlow(figure: FirstByte | undefined, bestMs: number): boolean {
  if (figure === undefined || figure.samples < 2) return false
  return figure.meanMs > bestMs * slowFactor && figure.meanMs > bestMs + slowMs
}
