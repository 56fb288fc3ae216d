import { type Repeat, repeatByTimer } from '../../lib/clock.ts'
import { StoreError, UnansweredError } from '../ports/store-error.ts'

/** What waits for the keeper's answer. */
export interface Pending {
  readonly no: number
  /** Sent again on a new connection: a second time it changes nothing. */
  readonly isRepeatable: boolean
  /** How long it waits for a connection. */
  readonly awayMs: number
  readonly kind: number
  readonly frame: string | Uint8Array
  isSent: boolean
  /** It is on its way by the connection that there is. */
  isOut: boolean
  /** How often it was found waiting as it does now. */
  looks: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const lookMs = 250
/** How long what was sent waits for an answer, a commit behind a locked file among it. */
const answerMs = 10_000
/** What may wait for answers, in bytes (characters of JSON). */
const mostBytes = 256 * 1024 * 1024

/** What was asked and is not answered. Time in which this process did not run does not count. */
export function createPendingTable(repeat: Repeat = repeatByTimer) {
  const all = new Map<number, Pending>()
  let bytes = 0

  function take(no: number): Pending | undefined {
    const one = all.get(no)
    if (one === undefined) return undefined
    all.delete(no)
    bytes -= one.frame.length
    return one
  }

  function look(): void {
    for (const one of all.values()) {
      one.looks++
      if (one.looks * lookMs > (one.isOut ? answerMs : one.awayMs))
        take(one.no)?.reject(lateError(one))
    }
  }

  const stop = repeat(look, lookMs)

  return {
    add(one: Pending): boolean {
      if (bytes + one.frame.length > mostBytes) {
        one.reject(new StoreError('The keeper of the store is too slow: too much waits for it.'))
        return false
      }
      all.set(one.no, one)
      bytes += one.frame.length
      return true
    },
    take,
    /** In the order in which they were asked. */
    all: (): Iterable<Pending> => all.values(),
    /** The connection is gone: what of it may have been done is not done again. */
    disconnected(): void {
      for (const one of all.values()) {
        if (!one.isOut) continue
        one.isOut = false
        one.looks = 0
        if (!one.isRepeatable) take(one.no)?.reject(lateError(one))
      }
    },
    stop(): void {
      stop()
      for (const one of all.values()) take(one.no)?.reject(lateError(one))
    },
  }
}

const lateError = ({ isSent }: Pending) =>
  isSent
    ? new UnansweredError('The keeper of the store has not answered.')
    : new StoreError('The keeper of the store can not be reached: it is being started again.')
