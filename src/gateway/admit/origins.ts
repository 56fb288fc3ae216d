import { LRUCache } from 'lru-cache'
import { entryLimit, expiresAfter } from '../../lib/cache-options.ts'
import type { AnswerStore } from '../../store/ports/answers.ts'

export interface Origin {
  readonly channelId: number
  /** The channel's key that was used: another key's account may not know the answer. */
  readonly key: string
  /** LLM tokens of its input and output: a continuation has at least as much input. */
  readonly contextTokens: number
  /** It is made in the background and was not yet charged at the last look. */
  readonly isPending?: boolean
}

export type Origins = ReturnType<typeof createOrigins>

const maxEntries = 100_000
const ttlMs = 24 * 3_600_000

const mostLooked = 1_000

/** Vendors' ids are shorter; longer ones are neither stored nor looked up. */
export const longestId = 500

const mostParts = 100

/** The ids by which an answer, or a part of it, can be referred to later. */
export const idsOf = (answerId: string, partIds: Iterable<string>): readonly string[] =>
  [answerId, ...[...partIds].slice(0, mostParts)].filter((id) => id.length <= longestId)

/** Which channel and key made an answer of an account: there it is continued. Shared by the store. */
export function createOrigins(
  answers: Pick<AnswerStore, 'find'>,
  keyMark: (key: string) => string,
  keysOf: (channelId: number) => readonly string[],
) {
  const origins = new LRUCache<string, Origin>({
    ...entryLimit(maxEntries),
    ...expiresAfter(ttlMs),
  })
  const known = new LRUCache<string, true>({ ...entryLimit(maxEntries), ...expiresAfter(ttlMs) })
  const nameOf = (accountId: number, answerId: string) => `${accountId} ${answerId}`

  function remember(accountId: number, answerId: string, origin: Origin): void {
    origins.set(nameOf(accountId, answerId), origin)
    known.set(answerId, true)
  }

  async function lookUp(accountId: number, answerIds: readonly string[]): Promise<void> {
    for (const { id, isOwn, keyMark: mark, ...origin } of await answers.find(
      accountId,
      answerIds,
    )) {
      const key = keysOf(origin.channelId).find((one) => keyMark(one) === mark) ?? ''
      if (isOwn) remember(accountId, id, { ...origin, key })
      else known.set(id, true)
    }
  }

  return {
    remember,
    keyMark,
    of: (accountId: number, answerId: string): Origin | undefined =>
      origins.get(nameOf(accountId, answerId)),
    refresh: (accountId: number, answerId: string): Promise<void> => lookUp(accountId, [answerId]),
    isForeign: (accountId: number, answerId: string): boolean =>
      known.has(answerId) && !origins.has(nameOf(accountId, answerId)),
    /** Looks up unknown answers; undefined: all are known. Rejects with a `StoreError`. */
    look(accountId: number, answerIds: readonly string[]): Promise<void> | undefined {
      if (answerIds.length === 0) return undefined
      const unknown = answerIds
        .slice(0, mostLooked)
        .filter((id) => id.length <= longestId && !origins.has(nameOf(accountId, id)))
      return unknown.length === 0 ? undefined : lookUp(accountId, unknown)
    },
  }
}
