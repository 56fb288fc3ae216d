import { ApiError } from '../api-error.ts'
import type { CheckedChannel } from './entry.ts'
import type { ChannelChange } from './schema.ts'

/**
 * Keys that are stored stay with the hosts that they were stored for: else whoever holds a session
 * of an administrator could have them sent to a host of their own, and read there what the console
 * never shows. A proxy reads them too, on their way to an address without TLS. Throws unless all
 * keys of a channel with a new host, or a new proxy that would read them, are entered with it.
 */
export function keepKeysHome(
  present: CheckedChannel,
  changed: CheckedChannel,
  { api_keys = [], add_keys = [] }: ChannelChange,
): void {
  const fault = freshHost(present, changed) ?? freshProxy(present, changed)
  if (fault === undefined) return
  const entered = new Set([...api_keys, ...add_keys])
  if (changed.apiKeys.every((key) => entered.has(key))) return
  const message = `${fault}. Remove them, and enter the keys for it.`
  throw new ApiError('invalid_value', message, { field: 'api_keys', fault: 'keys_stay_at_home' })
}

function freshHost(present: CheckedChannel, changed: CheckedChannel): string | undefined {
  const known = new Set(Object.values(present.speaks).map(originOf))
  const fresh = Object.values(changed.speaks).find((base) => !known.has(originOf(base)))
  return fresh && `${originOf(fresh)} is another host than the stored keys are for`
}

/** With none, keys go straight to the hosts that they are for. */
function freshProxy(present: CheckedChannel, { proxy, speaks }: CheckedChannel) {
  const known = present.proxy === null ? null : originOf(present.proxy)
  if (proxy === null || originOf(proxy) === known) return undefined
  const plain = Object.values(speaks).find((base) => new URL(base).protocol === 'http:')
  return plain && `The proxy would read the stored keys on their way to ${originOf(plain)}`
}

const originOf = (base: string) => new URL(base).origin
