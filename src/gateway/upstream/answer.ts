import type { CanonicalError } from '../../protocols/canonical/error.ts'
import type { AnswerObserver, Framing } from '../../protocols/protocol.ts'
import type { ByteReader } from '../body/rest-of-body.ts'
import type { GatewayError } from '../errors.ts'
import type { AttemptCause } from '../failures/failures.ts'
import type { Expiry, Watch } from '../relay/watchdog.ts'
import type { StreamTranslator } from '../translate/translation.ts'

/** A streamed answer that has begun: its first bytes are here, the rest is pulled. */
export interface StreamAnswer {
  readonly kind: 'stream'
  readonly contentType: string
  readonly first: Uint8Array
  readonly reader: ByteReader
  readonly observer: AnswerObserver
  /** Undefined: the client speaks the upstream's protocol. */
  readonly translator: StreamTranslator | undefined
  readonly framing: Framing
  readonly watch: Watch
  /** Aborted when the upstream call was ended from here. */
  readonly signal: AbortSignal
  /** The limit of time that ended the stream, when one did. */
  readonly expiry: () => Expiry | undefined
  /** Writes the attempt's row; call once, when the stream has ended. */
  readonly finish: (cause: AttemptCause | null) => void
}

/** A whole answer, understood. */
export interface BodyAnswer {
  readonly kind: 'body'
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly observer: AnswerObserver
}

/** The upstream found fault with the client's request: passed on as it is. */
export interface Refusal {
  readonly kind: 'refusal'
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly retryAfter: string | null
}

/**
 * Work that the client can't be given: another form, or too long. It is charged, and not made
 * again.
 */
export interface SpentAnswer {
  readonly kind: 'spent'
  readonly observer: AnswerObserver
  /** What it used is behind what could be read. */
  readonly isLost: boolean
  /** What is wrong with it, where it is not only its form. */
  readonly unfit?: Pick<CanonicalError, 'message' | 'record'> | undefined
  /** What its client is told, where it is the gateway that had no room for it. */
  readonly refusal?: GatewayError | undefined
}

export type Answer = StreamAnswer | BodyAnswer | Refusal | SpentAnswer
