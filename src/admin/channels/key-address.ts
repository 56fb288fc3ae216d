import { ApiError } from '../api-error.ts'
import type { CheckedChannel } from './entry.ts'
import type { ChannelChange } from './schema.ts'

/**
 * Keys that are stored stay with the hosts that they were stored for: else whoever holds a session
 * of an administrator could have them sent to a host of their own, and read there what the console
 * never shows. Throws unless all keys of a channel with a new host are entered with it.
 */
export function keepKeysHome(
  present: CheckedChannel,
  changed: CheckedChannel,
  { api_keys = [], add_keys = [] }: ChannelChange,
): void {
  const known = new Set(Object.values(present.speaks).map(originOf))
  const fresh = Object.values(changed.speaks).find((base) => !known.has(originOf(base)))
  if (fresh === undefined) return
  const entered = new Set([...api_keys, ...add_keys])
  if (changed.apiKeys.every((key) => entered.has(key))) return
  throw new ApiError(
    'invalid_value',
    `${originOf(fresh)} is another host than the stored keys are for. Remove them, and enter the keys for it.`,
    { field: 'api_keys' },
  )
}

const originOf = (base: string) => new URL(base).origin
