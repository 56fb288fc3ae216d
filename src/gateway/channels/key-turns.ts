import type { Channel } from '../../catalog/catalog.ts'
import type { Option } from '../admit/options.ts'
import type { Health } from './health.ts'

/** Uses the keys of a channel in turn. */
export interface KeyTurns {
  /** The next key that is well and was not tried; undefined when there is none. */
  next(option: Option, isTried: (channelId: number, key: string) => boolean): string | undefined
  /** It was asked: the one behind it is next. */
  took(channel: Channel, key: string): void
}

/** Remembers turns for as long as a channel stays as it is. */
export function createKeyTurns(health: Health): KeyTurns {
  const turns = new WeakMap<Channel, number>()
  return {
    next({ channel, upstreamModel }, isTried) {
      const { keys } = channel
      const turn = keys.length > 1 ? (turns.get(channel) ?? 0) : 0
      for (let step = 0; step < keys.length; step++) {
        const key = keys[(turn + step) % keys.length]
        if (key === undefined || isTried(channel.id, key)) continue
        if (health.standing(channel, key, upstreamModel) !== 'cooling') return key
      }
      return undefined
    },
    took(channel, key) {
      if (channel.keys.length > 1) turns.set(channel, channel.keys.indexOf(key) + 1)
    },
  }
}
