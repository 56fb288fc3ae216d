import { createHistogram } from './histogram.ts'
import { answerQuestions } from './part.ts'
import { createReader, type Reader } from './reader.ts'
import { nowUs, requestFor } from './wire.ts'

/**
 * The load of the measurement: opens streams and reads them as cheaply as it can. Streams belong to
 * a way: through the gateway, or straight to the upstream.
 */
export type Way = 'gateway' | 'direct'

/** So many connections are opened at once. */
const atOnce = 64
const hostname = '127.0.0.1'

const ways = { gateway: createWay(), direct: createWay() }

function createWay() {
  return {
    streams: new Set<Reader>(),
    delays: createHistogram(),
    gaps: createHistogram(),
    events: 0,
    lost: 0,
    repeated: 0,
    ended: 0,
    broken: [] as string[],
  }
}

interface Opening {
  readonly way: Way
  readonly port: number
  readonly key: string
  readonly count: number
}

/** Opens one stream; settles when it has begun. */
async function openOne({ way, port, key }: Opening, number: number): Promise<void> {
  const counts = ways[way]
  const begun = Promise.withResolvers<void>()
  const reader = createReader({
    event(sentUs, gapUs) {
      counts.events++
      counts.delays.add(nowAtRead - sentUs)
      if (gapUs !== undefined) counts.gaps.add(gapUs)
    },
    gap(missing) {
      if (missing > 0) counts.lost += missing
      else counts.repeated++
    },
  })
  let nowAtRead = 0
  const over = (reason: string) => {
    if (!counts.streams.delete(reader)) return
    if (reader.isWhole() && !reader.hasError()) counts.ended++
    else counts.broken.push(`${reason} (${reader.status()})`)
    begun.resolve()
  }
  counts.streams.add(reader)
  await Bun.connect({
    hostname,
    port,
    socket: {
      open(socket) {
        socket.write(requestFor(`${hostname}:${port}`, key, number))
      },
      data(socket, bytes) {
        nowAtRead = nowUs()
        reader.push(bytes, nowAtRead)
        if (reader.hasBegun()) begun.resolve()
        if (!reader.isWhole()) return
        over('whole')
        socket.end()
      },
      close: () => over(reader.hasError() ? 'error inside' : 'closed'),
      error: (_, error) => over(String(error)),
    },
  })
  await begun.promise
}

let opened = 0

const questions = {
  /** Opens streams; settles when all have begun. Gives how long that took, in milliseconds. */
  open: async (opening: Opening) => {
    const started = performance.now()
    let toOpen = opening.count
    const next = async () => {
      while (toOpen-- > 0) await openOne(opening, opened++)
    }
    await Promise.all(Array.from({ length: atOnce }, next))
    return performance.now() - started
  },
  /** What came since it was asked the last time; the counts of streams are of all the time. */
  stats: (way: Way) => {
    const counts = ways[way]
    const { delays, gaps } = counts
    const seen = {
      open: counts.streams.size,
      ended: counts.ended,
      broken: counts.broken,
      lost: counts.lost,
      repeated: counts.repeated,
      events: counts.events,
      delayMs: figures(delays),
      gapMs: figures(gaps),
    }
    counts.events = 0
    delays.clear()
    gaps.clear()
    return seen
  },
  /** How the streams of a way are, without forgetting anything. */
  progress: (way: Way) => {
    const { streams, events, broken } = ways[way]
    return { open: streams.size, events, broken: broken.length }
  },
  /** Forgets streams that have ended. */
  clear: (way: Way) => {
    Object.assign(ways[way], { ended: 0, broken: [], lost: 0, repeated: 0 })
  },
}
export type LoadQuestions = typeof questions

function figures({ percentile, highest }: ReturnType<typeof createHistogram>) {
  return { p50: percentile(0.5), p99: percentile(0.99), highest: highest() }
}

answerQuestions(questions)
