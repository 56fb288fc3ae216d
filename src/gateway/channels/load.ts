import { addTo } from '../../lib/add-to.ts'
import type { Clock } from '../../lib/clock.ts'

export interface FirstByte {
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
