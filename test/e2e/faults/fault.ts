import type { FailureName } from '../../../src/gateway/failures/failures.ts'
import type { Steps } from '../../support/fault/steps.ts'
import type { FaultOptions, FaultUpstream, Script } from '../../support/fault/upstream.ts'
import type { Dialect } from '../dialects.ts'

/** What becomes of an attempt at an upstream with a fault, and of its client. */
export type Ends =
  /** It fails before anything is passed on. `refusal`: its words are, when nobody does better. */
  | { readonly kind: 'fails'; readonly as: FailureName; readonly refusal?: true }
  /** Its answer is an error inside of a 200: that is passed on when no other channel is left. */
  | { readonly kind: 'fails-inside'; readonly as: FailureName }
  /** Its stream ends before it has said anything: the same, but for how it ends. */
  | { readonly kind: 'ends-early'; readonly as: FailureName }
  /** It begins well and then breaks off. `cause` is the record's, and what the client is told. */
  | {
      readonly kind: 'breaks'
      readonly as: FailureName
      readonly cause: 'upstream_error' | 'upstream_timeout'
    }
  /** It begins well and then tells an error, which is passed on. */
  | { readonly kind: 'tells'; readonly as: FailureName }
  /** Its answer is of no use to the client, but it was made: it is charged, and nobody else is asked. */
  | { readonly kind: 'spent'; readonly as: FailureName }
  /** An answer like any other; something may follow its end, or the gateway has written it anew. */
  | { readonly kind: 'well'; readonly isFollowed?: true; readonly isReformed?: true }
  /** The client is to blame, and told so in the upstream's words. */
  | { readonly kind: 'refused' }

/** One way in which upstreams misbehave. */
export interface Fault {
  /** What is done to a request. */
  readonly script?: Script
  /** What its server is, beside that. */
  readonly server?: FaultOptions | (() => Promise<FaultOptions>)
  /** Where its channels believe it to be; default its own address. */
  readonly url?: (upstream: FaultUpstream) => string
  /** In place of that: a server of another kind. */
  readonly elsewhere?: () => Promise<AsyncDisposable & { readonly url: URL }>
  /** What becomes of requests for a whole answer, and for a stream; null: no such row. */
  readonly whole: Ends | null
  readonly streamed: Ends | null
  /** The only protocols that have it. */
  readonly protocols?: readonly Dialect['name'][]
  /** Limits of time that it is to run into. */
  readonly timeouts?: Readonly<Record<string, string>>
  /** The words of a stream that its client must have before `untilAllHeard` is over. */
  readonly lastWords?: string
  /** What its channels call the model; default what clients do. */
  readonly upstreamModel?: string
  /** What it answers with, where the client may get that as it is. */
  readonly answers?: { readonly status: number; readonly body: string }
  /** How long its channels cool, where it tells that itself, in milliseconds. */
  readonly coolsForMs?: readonly [least: number, most: number]
}

export const fails = (as: FailureName): Ends => ({ kind: 'fails', as })
export const spent: Ends = { kind: 'spent', as: 'upstream_invalid' }
export const failsInside = (as: FailureName): Ends => ({ kind: 'fails-inside', as })
export const well: Ends = { kind: 'well' }
export const reformed: Ends = { kind: 'well', isReformed: true }
export const refused: Ends = { kind: 'refused' }
/** The stream ends, or its connection does, before its last words. */
export const broken: Ends = { kind: 'breaks', as: 'connection_lost', cause: 'upstream_error' }
/** The stream falls silent. */
export const silent: Ends = { kind: 'breaks', as: 'timeout_idle', cause: 'upstream_timeout' }
export const tells = (as: FailureName): Ends => ({ kind: 'tells', as })

/** The same for both kinds of requests. */
export const both = (ends: Ends) => ({ whole: ends, streamed: ends })

/** A fault that always does the same. */
export const always = (ends: Ends, ...script: Steps): Fault => ({ script, ...both(ends) })
