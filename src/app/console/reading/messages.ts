import type { SignedIn } from '../../../admin/access.ts'
import type { LogFields, LogLevel } from '../../../lib/log.ts'
import type { DatabasePlace } from '../../../store/ports/store.ts'
import type { GatewayFacts } from './app.ts'

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

/** A question for what only the gateway itself knows: a method of `GatewayFacts`, and what it takes. */
interface FactAsked {
  readonly fact: keyof GatewayFacts
  readonly args: readonly unknown[]
}

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

/** Asks the gateway for what only it knows. */
export function createRemoteFacts(ask: (id: number, asked: FactAsked) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  const asking =
    <Value>(fact: keyof GatewayFacts) =>
    async (...args: readonly unknown[]): Promise<Value> => {
      const id = ++lastId
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      ask(id, { fact, args })
      return (await answer.promise) as Value
    }

  function take(id: number): PromiseWithResolvers<unknown> | undefined {
    const answer = waiting.get(id)
    waiting.delete(id)
    return answer
  }

  const facts: GatewayFacts = {
    usuallyLowNano: asking('usuallyLowNano'),
    now: asking('now'),
    configState: asking('configState'),
    hideUpstream: asking('hideUpstream'),
  }
  return {
    facts,
    tell: (id: number, value: unknown) => take(id)?.resolve(value),
    refuse: (id: number, message: string) => take(id)?.reject(new Error(message)),
  }
}

/** The same in the gateway. */
export const tellFact = (facts: GatewayFacts, { fact, args }: FactAsked): Promise<unknown> =>
  (facts[fact] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
