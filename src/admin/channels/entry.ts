import { channelFields } from '../../resources/channel.ts'
import { changedEntry, toWritten } from '../../resources/resource.ts'
import type { ChannelSettings } from '../../store/ports/catalog.ts'
import { ApiError } from '../api-error.ts'
import type { ChannelChange, TestAsked } from './schema.ts'

/** A channel as tollgate.yaml writes it: what its rules are applied to. */
export type ChannelEntry = { readonly [key: string]: unknown }

/** A channel that was checked, its credentials in the clear. */
export interface CheckedChannel extends ChannelSettings {
  readonly apiKeys: readonly string[]
  readonly proxy: string | null
}

type Secrets = Pick<CheckedChannel, 'apiKeys' | 'proxy'>

/** A channel as tollgate.yaml would write it after a change; `markOf` names keys that are to go. */
export function changedFields(
  present: CheckedChannel | undefined,
  change: ChannelChange,
  markOf: (key: string) => string,
): ChannelEntry {
  const { name = present?.name, status = present?.status ?? 'active' } = change
  return {
    name,
    ...{ enabled: status !== 'disabled', drain: status === 'draining' },
    ...(present ? changedEntry(channelFields, present, change) : toWritten(channelFields, change)),
    ...secretsOf(present ?? { apiKeys: [], proxy: null }, change, markOf),
  }
}

function secretsOf(
  present: Secrets,
  { proxy = present.proxy, api_keys, add_keys = [], remove_keys = [] }: ChannelChange,
  markOf: (key: string) => string,
) {
  const kept = present.apiKeys.filter((key) => !remove_keys.includes(markOf(key)))
  // An empty field means none.
  return { api_keys: [...(api_keys ?? kept), ...add_keys], ...(proxy && { proxy }) }
}

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

/** A question to an upstream. */
export interface TestTarget {
  readonly channel: CheckedChannel
  readonly key: string
  readonly upstreamModel: string
  /** Undefined: the one of its protocols that carries most. */
  readonly protocol: string | undefined
}

/**
 * What a test asks for, its first model and key where nothing else is named. Throws `ApiError` with the
 * field at fault for what the channel does not have.
 */
export function targetOf(
  channel: CheckedChannel,
  { model, protocol, key }: TestAsked,
  keyMark: (key: string) => string,
): TestTarget {
  const wanted = model ?? channel.models[0]?.id
  const found = channel.models.find(({ id }) => id === wanted)
  if (!found) throw unknown('model', `The channel does not offer ${JSON.stringify(wanted)}.`)
  if (protocol !== undefined && !Object.hasOwn(channel.speaks, protocol)) {
    throw unknown('protocol', `The channel does not speak ${protocol}.`)
  }
  const { apiKeys } = channel
  const used = key === undefined ? apiKeys[0] : apiKeys.find((one) => keyMark(one) === key)
  if (used === undefined) throw unknown('key', 'The channel has no such key (any more).')
  return { channel, key: used, upstreamModel: found.upstream, protocol }
}

const unknown = (field: string, message: string) =>
  new ApiError('invalid_value', message, { field, fault: 'not_known' })
