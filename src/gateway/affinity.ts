import { LRUCache } from 'lru-cache'
import { growing, lasting } from '../lib/cache-options.ts'
import type { PendingCharge } from './pending-charge.ts'

/** Where an answer came from, and what is still to be charged for it. */
export interface Origin {
  readonly channelId: number
  /** The channel's key that it was asked with: another one's account may not know the answer. */
  readonly key: string
  /** LLM tokens of its input and output: what continues it has at least so much input. */
  readonly contextTokens?: number
  /** The answer is made in the background: it is charged when its final form is fetched. */
  readonly pending?: PendingCharge
}

/** Remembers which channel gave which answer, per token, bounded and for a while. */
export interface Affinity {
  /** `isKept`: its channel keeps it, so that requests may come for it, to other nodes too. */
  remember(tokenId: number, answerId: string, origin: Origin, isKept: boolean): void
  originOf(tokenId: number, answerId: string): Origin | undefined
  /** Whether an answer is known, but as another token's only. */
  isForeign(tokenId: number, answerId: string): boolean
  /** Keeps in mind that there is such an answer, and that nobody here has got it. */
  noteForeign(answerId: string): void
  /** Looks what other nodes know of answers that this one does not; undefined: nothing to wait for. */
  look(tokenId: number, answerIds: readonly string[]): Promise<void> | undefined
}

const maxEntries = 100_000
const ttlMs = 24 * 3_600_000

/**
 * A client that continues an answer by its id (`previous_response_id`, `GET /v1/responses/{id}`)
 * must reach the channel that made it. Keyed by token: nobody finds another's answer.
 */
export function createAffinity(): Affinity {
  const origins = new LRUCache<string, Origin>({ ...growing(maxEntries), ...lasting(ttlMs) })
  const answers = new LRUCache<string, true>({ ...growing(maxEntries), ...lasting(ttlMs) })
  return {
    remember(tokenId, answerId, origin) {
      origins.set(`${tokenId} ${answerId}`, origin)
      answers.set(answerId, true)
    },
    isForeign: (tokenId, answerId) =>
      answers.has(answerId) && !origins.has(`${tokenId} ${answerId}`),
    originOf: (tokenId, answerId) => origins.get(`${tokenId} ${answerId}`),
    noteForeign(answerId) {
      answers.set(answerId, true)
    },
    look: () => undefined,
  }
}
