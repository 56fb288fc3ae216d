import { withinRunning } from '../../lib/clock.ts'
import type { Observation } from '../../protocols/canonical/observation.ts'
import type { ByteReader } from '../outbound/round-trip.ts'
import { beat } from './heartbeat.ts'
import type { RelayParts } from './stream-end.ts'

/** How long an upstream may keep its answer open after its last event or an error. */
const trailingReadMs = 5_000

type PendingChunk = PromiseWithResolvers<Uint8Array | undefined | typeof beat>

/** The chunks of a stream. One costs one promise beside the read's own. */
export class Chunks {
  readonly #parts: RelayParts
  #isReading = false
  #waiting: PendingChunk | undefined
  /** What came during a heartbeat, while nothing waited. */
  #early: ((waiting: PendingChunk) => void) | undefined

  constructor(parts: RelayParts) {
    this.#parts = parts
  }

  /** The next bytes; undefined at the end; `beat` (if `mayBeat`) when a heartbeat is due. */
  next(mayBeat: boolean): Promise<Uint8Array | undefined | typeof beat> {
    const one: PendingChunk = Promise.withResolvers()
    if (this.#early !== undefined) {
      this.#parts.answer.watch.paused()
      this.#early(one)
      this.#early = undefined
      return one.promise
    }
    this.#waiting = one
    this.#parts.heartbeat.expect(mayBeat ? this.#onDue : undefined)
    if (!this.#isReading) this.#read()
    return one.promise
  }

  #read(): void {
    const { watch, reader, observer } = this.#parts.answer
    this.#isReading = true
    watch.touched()
    const reading = reader.read()
    const isTrailing = mayBeAll(observer.seen)
    void (isTrailing ? withinRunning(trailingReadMs, reading) : reading).then(
      this.#came,
      this.#broke,
    )
  }

  readonly #came = (read: Read | undefined): void => {
    const { watch } = this.#parts.answer
    if (this.#waiting === undefined) watch.passedOn()
    else watch.paused()
    this.#give(({ resolve }) => resolve(read?.done === false ? read.value : undefined))
  }

  readonly #broke = (error: unknown): void => {
    const { answer, exchange } = this.#parts
    const { phase } = answer.observer.seen
    // Behind the last words a break is as good as an end: only usage may be missing, and is counted.
    const isEnd = phase !== 'open' && exchange.interruption === undefined
    this.#give(({ resolve, reject }) => (isEnd ? resolve(undefined) : reject(error)))
  }

  readonly #onDue = (): void => {
    this.#waiting?.resolve(beat)
    this.#waiting = undefined
  }

  #give(settle: (waiting: PendingChunk) => void): void {
    this.#isReading = false
    const one = this.#waiting
    this.#waiting = undefined
    if (one === undefined) this.#early = settle
    else settle(one)
  }
}

type Read = Awaited<ReturnType<ByteReader['read']>>

/** The protocol's last event was seen; or, where it has none or may lack it, the usage. */
const mayBeAll = ({ phase, usage }: Observation) =>
  phase === 'closed' || (phase === 'closing' && usage !== undefined)
