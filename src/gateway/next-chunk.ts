import type { Observation } from '../protocols/canonical/observation.ts'
import type { StreamAnswer } from './answer.ts'
import type { ByteReader } from './byte-reader.ts'
import type { Exchange } from './exchange.ts'

interface Reading {
  readonly answer: StreamAnswer
  readonly exchange: Exchange
}

/** How long an upstream may keep its answer open behind the last words or an error. */
const lastWordsMs = 5_000

/**
 * The next bytes; undefined at the end, which a break or a silence is where nothing is missing. Only
 * while they are waited for is the silence the upstream's: a slow client, or a count, is not its fault.
 */
export async function nextChunk({ answer, exchange }: Reading): Promise<Uint8Array | undefined> {
  const { watch } = answer
  const { seen } = answer.observer
  watch.touched()
  try {
    const reading = answer.reader.read()
    const { done, value } = await (mayBeAll(seen) ? within(lastWordsMs, reading) : reading)
    watch.paused()
    return done ? undefined : value
  } catch (error) {
    const ended = mayBeAll(seen) || (seen.phase === 'closing' && answer.expiry() === 'idle')
    if (ended && exchange.interruption === undefined) return undefined
    throw error
  }
}

/** The protocol's last event was seen; or, where it has none or may lack it, the usage. */
const mayBeAll = ({ phase, usage }: Observation) =>
  phase === 'closed' || (phase === 'closing' && usage !== undefined)

/** The read, or an end when it takes too long. */
async function within(limitMs: number, reading: ReturnType<ByteReader['read']>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<{ readonly done: true; readonly value?: undefined }>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), limitMs)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}
