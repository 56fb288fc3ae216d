import { GatewayError } from '../../../src/gateway/errors.ts'
import {
  type Cooling,
  type FailureClass,
  type FailureName,
  failureClasses,
} from '../../../src/gateway/failures/failures.ts'
import type { Fault } from '../../../src/store/ports/availability.ts'
import { faultyChannels, type Row } from './rows.ts'

/** How one request of a row must be answered. */
export type ExpectedAnswer =
  | { readonly kind: 'well' }
  | { readonly kind: 'error'; readonly class: FailureClass }
  /** The upstream's own words, with its own status. */
  | { readonly kind: 'passed' }
  /** A stream that ends with an error of the gateway; `broken`: behind its first words. */
  | {
      readonly kind: 'broken' | 'told'
      readonly cause: 'upstream_error' | 'upstream_timeout'
    }

/** One request of a row, its answer, and its record. */
export interface ExpectedAsk {
  readonly answer: ExpectedAnswer
  /** The causes of its attempts, in order; null: it was well. */
  readonly attempts: readonly (string | null)[]
  readonly ending: string
  readonly cause: string | null
  /** `told`: what it says that it has used, if it does. */
  readonly charge: 'none' | 'usual' | 'some' | 'told'
  /** What it counts as in what is told of the model's availability; null: it was served. */
  readonly fault: Fault | null
}

export interface ExpectedCooling extends Cooling {
  readonly cause: FailureName
  /** Of the channel that was asked last, and whose answer was passed on. */
  readonly lastCause: FailureName
}

/** All that a row must come to. */
export interface ExpectedRow {
  readonly asks: readonly ExpectedAsk[]
  /** What cools behind it, of every channel that has failed; null: nothing. */
  readonly cools: ExpectedCooling | null
  /** How many of the faulty channels were asked at all. */
  readonly failed: number
}

const served: ExpectedAsk = {
  ...{ answer: { kind: 'well' }, attempts: [null], ending: 'complete', cause: null },
  ...{ charge: 'usual', fault: null },
}

/** Reads a row's promise off the table of failures. */
export function expectedOf(row: Row): ExpectedRow {
  const { ends, setting } = row
  if (ends.kind === 'well') return { asks: [served, served], cools: null, failed: 0 }
  if (ends.kind === 'refused') return { asks: [refusedOnce, refusedOnce], cools: null, failed: 0 }
  const failure: FailureClass = failureClasses[ends.as]
  const ask = askOf(row, failure)
  const isCut = ends.kind === 'ends-early' && setting !== 'three'
  const lastCause = isCut ? 'connection_lost' : ends.as
  const cools = failure.cools && { ...failure.cools, cause: ends.as, lastCause }
  // Who asks for time gets it at once.
  const strikes = row.fault.coolsForMs ? 1 : (cools?.strikes ?? 1)
  const asks = Array.from({ length: strikes }, () => ask)
  // What cools is not asked again, as long as there is another one.
  const failed = ask.attempts.filter((cause) => cause !== null).length
  return { asks: cools && setting === 'three' ? [...asks, served] : asks, cools, failed }
}

const refusedOnce: ExpectedAsk = {
  ...{ answer: { kind: 'passed' }, attempts: ['client_fault'] },
  ...{ ending: 'refused', cause: 'upstream_refused', charge: 'none', fault: 'client' },
}

/** Told by the gateway itself. */
const unanswered = (failure: FailureClass, attempts: readonly FailureName[]): ExpectedAsk => ({
  answer: { kind: 'error', class: failure },
  attempts,
  ending: isRefusal(failure) ? 'refused' : 'failed',
  ...{ cause: failure.answer, charge: 'none', fault: failure.fault },
})

const isRefusal = ({ answer }: FailureClass) =>
  new GatewayError(answer, '').status < 500 && answer !== 'channels_busy'

function askOf(row: Row, failure: FailureClass): ExpectedAsk {
  const { ends, setting } = row
  const count = faultyChannels(row).length
  switch (ends.kind) {
    case 'breaks':
      return {
        answer: { kind: 'broken', cause: ends.cause },
        attempts: [ends.as.startsWith('timeout_') ? ends.as : ends.cause],
        ...{ ending: 'cut', cause: ends.cause, charge: 'some', fault: failure.fault },
      }
    case 'tells':
      return {
        answer: { kind: 'passed' },
        attempts: ['upstream_error'],
        ...{ ending: 'failed', cause: 'upstream_error', charge: 'some', fault: failure.fault },
      }
    case 'fails-inside':
    case 'ends-early': {
      if (setting === 'three' && failure.retry) return { ...served, attempts: [ends.as, null] }
      const others = failure.retry ? count - 1 : 0
      const before = Array.from({ length: others }, () => ends.as)
      const isCut = ends.kind === 'ends-early'
      return {
        answer: isCut ? { kind: 'told', cause: 'upstream_error' } : { kind: 'passed' },
        attempts: [...before, 'upstream_error'],
        ...{
          ending: isCut ? 'cut' : 'failed',
          cause: 'upstream_error',
          charge: 'told',
          fault: failure.fault,
        },
      }
    }
    case 'spent':
      return { ...unanswered(failure, [ends.as]), charge: 'some' }
    case 'fails': {
      const tried = failure.retry ? count : 1
      const attempts = Array.from({ length: tried }, () => ends.as)
      if (setting === 'three' && failure.retry) return { ...served, attempts: [...attempts, null] }
      if (ends.refusal) return { ...refusedOnce, attempts, fault: failure.fault }
      // CONTRACT 2.5: a 429 stays one, whatever it says.
      const isBusy = row.fault.answers?.status === 429
      const told = isBusy ? failureClasses.upstream_rate_limited : failure
      return { ...unanswered(told, attempts), fault: failure.fault }
    }
    default:
      throw new Error(`No failure: ${ends.kind}`)
  }
}
