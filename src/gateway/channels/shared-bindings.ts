import type { SharedTexts } from '../../store/ports/counters.ts'
import type { Bindings } from './bindings.ts'

/** What bindings are shared with. */
export interface SharedBindingsParts {
  readonly texts: SharedTexts & { isAway(): boolean }
  /** This node's copy: what is chosen by. */
  readonly local: Bindings
  /** A keyed hash of a key, without spaces: what others are told of it. */
  readonly keyMark: (key: string) => string
  /** The keys that a channel has. */
  readonly keysOf: (channelId: number) => readonly string[]
}

/** Bindings of all nodes: asked for before a choice, told behind the requests' backs. */
export interface SharedBindings extends Bindings {
  /** Looks where a conversation is at home by now. Undefined: there is nothing to wait for. */
  refresh(tokenId: number, conversation: string): Promise<void> | undefined
}

/** A conversation goes on where it has its prompt cache, whichever node it comes to. */
export function createSharedBindings(parts: SharedBindingsParts): SharedBindings {
  const { texts, local, keyMark, keysOf } = parts
  const nameOf = (tokenId: number, conversation: string) => `home:${tokenId}:${conversation}`

  async function look(tokenId: number, conversation: string): Promise<void> {
    let text: string | undefined
    try {
      text = await texts.get(nameOf(tokenId, conversation))
    } catch {
      return // away: what this node knows is good enough
    }
    const [, id, mark] = /^(\d+) (\S*)$/.exec(text ?? '') ?? []
    if (id === undefined) {
      const home = local.find(tokenId, conversation)
      if (home) local.unbind(tokenId, conversation, home.channelId)
      return
    }
    const key = keysOf(Number(id)).find((one) => keyMark(one) === mark)
    // Without its key it is still the channel that is at home.
    local.bind(tokenId, conversation, Number(id), key ?? '')
  }

  return {
    find: local.find,
    bind(tokenId, conversation, channelId, key) {
      const home = local.find(tokenId, conversation)
      if (home?.channelId === channelId && home.key === key) return
      local.bind(tokenId, conversation, channelId, key)
      const text = `${channelId} ${keyMark(key)}`
      texts.set(nameOf(tokenId, conversation), text).catch(() => {}) // away: known here, at least
    },
    unbind(tokenId, conversation, channelId) {
      local.unbind(tokenId, conversation, channelId)
      texts.drop(nameOf(tokenId, conversation), `${channelId} `).catch(() => {})
    },
    refresh: (tokenId, conversation) => (texts.isAway() ? undefined : look(tokenId, conversation)),
  }
}
