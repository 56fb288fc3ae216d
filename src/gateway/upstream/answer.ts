import type { Ending } from '../../lib/cancellation.ts'
import type { CanonicalError } from '../../protocols/canonical/error.ts'
import type { AnswerObserver, Framing } from '../../protocols/protocol.ts'
import type { GatewayError } from '../errors.ts'
import type { AttemptCause } from '../failures/failures.ts'
import type { ByteReader } from '../outbound/round-trip.ts'
import type { StreamTranslator } from '../translate/translation.ts'
import type { Expiry, Watch } from './watchdog.ts'

/** A begun streamed answer: its first bytes are here, the rest is pulled. */
export interface StreamAnswer {
  readonly kind: 'stream'
  readonly contentType: string
  readonly first: Uint8Array
  readonly reader: ByteReader
  readonly observer: AnswerObserver
  readonly translator: StreamTranslator | undefined
  readonly framing: Framing
  readonly watch: Watch
  readonly signal: Pick<Ending, 'aborted'>
  readonly expiry: () => Expiry | undefined
  readonly finish: (cause: AttemptCause | null) => void
}

export interface BodyAnswer {
  readonly kind: 'body'
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly observer: AnswerObserver
}

/** The upstream rejects the client's request: passed on as it is. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly retryAfter: string | null
}

/** A charged answer that the client can't get: another form, or too long. It is not made again. */
export interface UndeliverableAnswer {
  readonly kind: 'undeliverable'
  readonly observer: AnswerObserver
  /** Its usage is behind what could be read. */
  readonly isUsageUnknown: boolean
  /** What is wrong with it, besides its form. */
  readonly unfit?: Pick<CanonicalError, 'message' | 'record'> | undefined
  /** The client's error, where the gateway had no memory for it. */
  readonly memoryError?: GatewayError | undefined
}

export type Answer = StreamAnswer | BodyAnswer | Refusal | UndeliverableAnswer
