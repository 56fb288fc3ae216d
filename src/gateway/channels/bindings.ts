import { LRUCache } from 'lru-cache'
import { growing } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'

/** Where a conversation is at home: what its prompt cache belongs to. */
export interface Binding {
  readonly channelId: number
  readonly key: string
}

/** Remembers which channel and key a conversation was answered by: bounded, and for a while. */
export interface Bindings {
  find(tokenId: number, conversation: string): Binding | undefined
  bind(tokenId: number, conversation: string, channelId: number, key: string): void
  /** Ends a binding, if it is one to this channel. */
  unbind(tokenId: number, conversation: string, channelId: number): void
}

const maxBindings = 50_000
/** Counted from its last use; vendors keep prompt caches no longer. */
const bindingMs = 3_600_000

/** Keyed by token: no two tokens ever share a binding, whatever their conversations look like. */
export function createBindings(tick: Clock): Bindings {
  const bindings = new LRUCache<string, Binding>({
    ...growing(maxBindings),
    ttl: bindingMs,
    ttlResolution: 0,
    updateAgeOnGet: true,
    perf: { now: tick },
  })
  const nameOf = (tokenId: number, conversation: string) => `${tokenId} ${conversation}`
  return {
    find: (tokenId, conversation) => bindings.get(nameOf(tokenId, conversation)),
    bind(tokenId, conversation, channelId, key) {
      const name = nameOf(tokenId, conversation)
      const bound = bindings.get(name)
      if (bound?.channelId === channelId && bound.key === key) return
      bindings.set(name, { channelId, key })
    },
    unbind(tokenId, conversation, channelId) {
      const name = nameOf(tokenId, conversation)
      if (bindings.peek(name)?.channelId === channelId) bindings.delete(name)
    },
  }
}
