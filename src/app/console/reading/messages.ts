import type { SignedIn } from '../../../admin/access.ts'
import type { LogFields, LogLevel } from '../../../lib/log.ts'
import type { ReceiptRows } from '../../../store/ports/records.ts'
import type { DatabasePlace } from '../../../store/ports/store.ts'

/** The first argument of a process that a gateway starts to read. */
export const readingCommand = 'read-for-gateway'

/** A request for what is read, as the process that reads gets it. `id` tells it from others. */
export interface ReadOrder {
  readonly kind: 'read'
  readonly id: number
  readonly method: string
  readonly url: string
  /** What its reader can decompress (`Accept-Encoding`). */
  readonly encodings: string
  readonly who: SignedIn
  /** The time by the clock of the gateway, in milliseconds since 1970. */
  readonly now: number
}

/** What only the gateway itself knows; see `GatewayFacts`. */
export type FactAsked =
  | { readonly fact: 'usuallyLowNano' }
  | { readonly fact: 'now' }
  | { readonly fact: 'configState' }
  | { readonly fact: 'hideUpstream'; readonly rows: ReceiptRows }

/** What the process that reads is told. The first is `open`. */
export type ToProcess =
  | { readonly kind: 'open'; readonly place: DatabasePlace }
  | ReadOrder
  /** The next piece of a file is wanted. */
  | { readonly kind: 'more'; readonly id: number }
  /** Nobody waits for this answer any more. */
  | { readonly kind: 'leave'; readonly id: number }
  | { readonly kind: 'fact'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'no-fact'; readonly id: number; readonly message: string }
  /** Give up everything, close the database, and end. */
  | { readonly kind: 'close' }

/** What it says. */
export type FromProcess =
  | {
      readonly kind: 'head'
      readonly id: number
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
      /** All of it; `pieces`: a file, each piece of which is asked for. */
      readonly body: ArrayBuffer | null | 'pieces'
    }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  /** The file ends before its end. */
  | { readonly kind: 'broken'; readonly id: number; readonly message: string }
  | { readonly kind: 'ask'; readonly id: number; readonly asked: FactAsked }
  | {
      readonly kind: 'log'
      readonly level: LogLevel
      readonly message: string
      readonly fields: LogFields
    }
