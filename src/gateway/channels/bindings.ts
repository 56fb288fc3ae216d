import { LRUCache } from 'lru-cache'
import { entryLimit } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SharedTexts } from '../../store/ports/counters.ts'

export interface Binding {
  readonly channelId: number
  readonly key: string
}

export interface Bindings {
  find(tokenId: number, conversation: string): Binding | undefined
  bind(tokenId: number, conversation: string, channelId: number, key: string): void
  unbind(tokenId: number, conversation: string, channelId: number): void
}

const maxBindings = 50_000
/** Counted from the last use; vendors keep prompt caches no longer. */
const bindingMs = 3_600_000

/** Keyed by token: no two tokens share a binding, whatever their conversations look like. */
export function createBindings(tick: Clock): Bindings {
  const bindings = new LRUCache<string, Binding>({
    ...entryLimit(maxBindings),
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

interface SharedBindingsParts {
  readonly texts: SharedTexts & { isUnavailable(): boolean }
  readonly local: Bindings
  readonly keyMark: (key: string) => string
  readonly keysOf: (channelId: number) => readonly string[]
}

/** Sticky bindings of all nodes: read before a choice, written after it. */
export interface SharedBindings extends Bindings {
  /** Reads the present binding; undefined: nothing to wait for. */
  refresh(tokenId: number, conversation: string): Promise<void> | undefined
}

/** A conversation continues where its prompt cache is, on whichever node. */
export function createSharedBindings(parts: SharedBindingsParts): SharedBindings {
  const { texts, local, keyMark, keysOf } = parts
  const nameOf = (tokenId: number, conversation: string) => `home:${tokenId}:${conversation}`

  async function look(tokenId: number, conversation: string): Promise<void> {
    let text: string | undefined
    try {
      text = await texts.get(nameOf(tokenId, conversation))
    } catch {
      return // unreachable: this node uses its own binding
    }
    const [, id, mark] = /^(\d+) (\S*)$/.exec(text ?? '') ?? []
    if (id === undefined) {
      const bound = local.find(tokenId, conversation)
      if (bound) local.unbind(tokenId, conversation, bound.channelId)
      return
    }
    const key = keysOf(Number(id)).find((one) => keyMark(one) === mark)
    // Without its key the channel still counts.
    local.bind(tokenId, conversation, Number(id), key ?? '')
  }

  return {
    find: local.find,
    bind(tokenId, conversation, channelId, key) {
      const bound = local.find(tokenId, conversation)
      if (bound?.channelId === channelId && bound.key === key) return
      local.bind(tokenId, conversation, channelId, key)
      const text = `${channelId} ${keyMark(key)}`
      texts.set(nameOf(tokenId, conversation), text).catch(() => {}) // unreachable: bound on this node only
    },
    unbind(tokenId, conversation, channelId) {
      local.unbind(tokenId, conversation, channelId)
      texts.drop(nameOf(tokenId, conversation), `${channelId} `).catch(() => {})
    },
    refresh: (tokenId, conversation) =>
      texts.isUnavailable() ? undefined : look(tokenId, conversation),
  }
}
