import type { SignedIn } from '../../../admin/access.ts'
import type { LogFields, LogLevel } from '../../../lib/log.ts'
import type { DatabasePlace } from '../../../store/ports/store.ts'
import type { GatewayFacts } from './app.ts'

/** The first argument of a reading process. */
export const readingCommand = 'read-for-gateway'

/** A read request for the reading process. */
export interface ReadOrder {
  readonly kind: 'read'
  readonly id: number
  readonly method: string
  readonly url: string
  /** Headers by which the form of the answer is chosen. */
  readonly accepted: Readonly<Record<string, string>>
  readonly who: SignedIn
  /** The gateway's clock, in milliseconds since 1970. */
  readonly now: number
}

/** A call of a method of `GatewayFacts`. */
interface FactAsked {
  readonly fact: keyof GatewayFacts
  readonly args: readonly unknown[]
}

/** Messages to the reading process. The first is `open`. */
export type ToProcess =
  | { readonly kind: 'open'; readonly place: DatabasePlace }
  | ReadOrder
  /** Asks for the next piece of a file. */
  | { readonly kind: 'more'; readonly id: number }
  | { readonly kind: 'leave'; readonly id: number }
  | { readonly kind: 'fact'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'no-fact'; readonly id: number; readonly message: string }
  /** Abort everything, close the database, and end. */
  | { readonly kind: 'close' }

/** Messages from the reading process. */
export type FromProcess =
  | {
      readonly kind: 'head'
      readonly id: number
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
      /** The whole body; `pieces`: a file, whose pieces are requested one by one. */
      readonly body: ArrayBuffer | null | 'pieces'
    }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'broken'; readonly id: number; readonly message: string }
  | { readonly kind: 'ask'; readonly id: number; readonly asked: FactAsked }
  | {
      readonly kind: 'log'
      readonly level: LogLevel
      readonly message: string
      readonly fields: LogFields
    }

/** Calls `GatewayFacts` of the gateway from the reading process. */
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
    channelKeys: asking('channelKeys'),
  }
  return {
    facts,
    tell: (id: number, value: unknown) => take(id)?.resolve(value),
    refuse: (id: number, message: string) => take(id)?.reject(new Error(message)),
  }
}

/** Answers such a call in the gateway. */
export const tellFact = (facts: GatewayFacts, { fact, args }: FactAsked): Promise<unknown> =>
  (facts[fact] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
