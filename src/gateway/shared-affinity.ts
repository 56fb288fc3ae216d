import type { SharedTexts } from '../store/ports/counters.ts'
import type { Affinity, Origin } from './affinity.ts'
import type { PendingCharge } from './pending-charge.ts'

/** What origins of answers are shared with. */
export interface SharedAffinityParts {
  readonly texts: Pick<SharedTexts, 'get' | 'set'> & { isAway(): boolean }
  /** This node's copy: what is decided by. */
  readonly local: Affinity
  /** A keyed hash of a key: what others are told of it. */
  readonly keyMark: (key: string) => string
  /** The keys that a channel has. */
  readonly keysOf: (channelId: number) => readonly string[]
}

/** After its last use; the node that an answer came by knows it for longer. In milliseconds. */
const keptMs = 6 * 3_600_000

/** A request that refers to more is looked up by the first of them. */
const mostLooked = 100

/** Vendors' ids are shorter: nothing else is stored, or asked for. */
const longestId = 200

/** Channel, mark of its key, what is still to be charged, and the tokens of its context. */
type Told = readonly [number, string, (PendingCharge | null)?, number?]

/**
 * Origins of answers that all nodes know. Told behind the requests' backs; looked up before a choice
 * where this node does not know an answer. While the counters are away, each node knows its own.
 */
export function createSharedAffinity(parts: SharedAffinityParts): Affinity {
  const { texts, local, keyMark, keysOf } = parts
  /** Of an answer as one token has got it. */
  const ownName = (tokenId: number, answerId: string) => `answer:${tokenId}:${answerId}`
  /** Tells that somebody has got it. */
  const anyName = (answerId: string) => `answer:${answerId}`
  const isUnknown = (tokenId: number) => (id: string) =>
    id.length <= longestId && local.originOf(tokenId, id) === undefined

  async function lookUp(tokenId: number, answerId: string): Promise<void> {
    const names = [ownName(tokenId, answerId), anyName(answerId)]
    try {
      const [own, any] = await Promise.all(names.map((name) => texts.get(name, keptMs)))
      if (own !== undefined) local.remember(tokenId, answerId, originIn(own), true)
      else if (any !== undefined) local.noteForeign(answerId)
    } catch {
      return // away: what is not known here is not known
    }
  }

  function originIn(text: string): Origin {
    const [channelId, mark, pending, contextTokens] = JSON.parse(text) as Told
    // Without its key it is still the channel that has it.
    const key = keysOf(channelId).find((one) => keyMark(one) === mark) ?? ''
    return { channelId, key, ...(pending && { pending }), ...(contextTokens && { contextTokens }) }
  }

  function tell(tokenId: number, answerId: string, origin: Origin): void {
    const { channelId, key, pending = null, contextTokens } = origin
    const mark = keyMark(key)
    const told: Told = contextTokens
      ? [channelId, mark, pending, contextTokens]
      : [channelId, mark, pending]
    for (const [name, text] of [
      [ownName(tokenId, answerId), JSON.stringify(told)],
      [anyName(answerId), '1'],
    ] as const)
      texts.set(name, text, keptMs).catch(() => {}) // away: it is known here
  }

  return {
    remember(tokenId, answerId, origin, isKept) {
      local.remember(tokenId, answerId, origin, isKept)
      if (isKept && answerId.length <= longestId) tell(tokenId, answerId, origin)
    },
    originOf: local.originOf,
    isForeign: local.isForeign,
    noteForeign: local.noteForeign,
    look(tokenId, answerIds) {
      if (answerIds.length === 0 || texts.isAway()) return undefined
      const unknown = answerIds.filter(isUnknown(tokenId)).slice(0, mostLooked)
      if (unknown.length === 0) return undefined
      return Promise.all(unknown.map((id) => lookUp(tokenId, id))).then(() => undefined)
    },
  }
}
