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

/** What is still to come of an upstream's answer. */
export interface Chunks {
  /**
   * The next bytes, the same until they are taken; undefined at the end, which a break or a silence
   * is where nothing is missing. Only while they are waited for is the silence the upstream's: a slow
   * client, or a count, is not its fault.
   */
  coming(): Promise<Uint8Array | undefined>
  taken(): void
}

/** A chunk costs one promise beside the read's own; what is done with it is made once. */
export function createChunks({ answer, exchange }: Reading): Chunks {
  const { watch, reader } = answer
  const { seen } = answer.observer
  let pending: Promise<Uint8Array | undefined> | undefined

  const came = ({ done, value }: Read): Uint8Array | undefined => {
    watch.paused()
    return done ? undefined : value
  }

  const broke = (error: unknown): undefined => {
    const ended = mayBeAll(seen) || (seen.phase === 'closing' && answer.expiry() === 'idle')
    if (!ended || exchange.interruption !== undefined) throw error
  }

  const read = () => {
    watch.touched()
    const reading = reader.read()
    return (mayBeAll(seen) ? within(lastWordsMs, reading) : reading).then(came, broke)
  }

  return {
    coming() {
      pending ??= read()
      return pending
    },
    taken() {
      pending = undefined
    },
  }
}

type Read = Awaited<ReturnType<ByteReader['read']>>

/** The protocol's last event was seen; or, where it has none or may lack it, the usage. */
const mayBeAll = ({ phase, usage }: Observation) =>
  phase === 'closed' || (phase === 'closing' && usage !== undefined)

/** The read, or an end when it takes too long. */
async function within(limitMs: number, reading: Promise<Read>): Promise<Read> {
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
