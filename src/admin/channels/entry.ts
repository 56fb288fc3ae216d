import { channelFields } from '../../resources/channel.ts'
import { changedEntry, toWritten } from '../../resources/resource.ts'
import type { ChannelSettings } from '../../store/ports/catalog.ts'
import { ApiError } from '../api-error.ts'
import type { ChannelChange, TestAsked } from './schema.ts'

/** A channel as an entry of tollgate.yaml. */
export type ChannelEntry = { readonly [key: string]: unknown }

/** A validated channel, its credentials in the clear. */
export interface CheckedChannel extends ChannelSettings {
  readonly apiKeys: readonly string[]
  readonly proxy: string | null
}

type Secrets = Pick<CheckedChannel, 'apiKeys' | 'proxy'>

/** A channel's entry after a change; `markOf` identifies keys to remove. */
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
  // An empty text means no proxy.
  return { api_keys: [...(api_keys ?? kept), ...add_keys], ...(proxy && { proxy }) }
}

/**
 * Throws unless all keys of a channel with a new host, or with a new proxy to an address without TLS, are
 * entered again. Otherwise a stolen administrator session could send stored keys to a host of its own.
 */
export function requireKeysForNewHost(
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

/** Without a proxy, keys go straight to their hosts. */
function freshProxy(present: CheckedChannel, { proxy, speaks }: CheckedChannel) {
  const known = present.proxy === null ? null : originOf(present.proxy)
  if (proxy === null || originOf(proxy) === known) return undefined
  const plain = Object.values(speaks).find((base) => new URL(base).protocol === 'http:')
  return plain && `The proxy would read the stored keys on their way to ${originOf(plain)}`
}

const originOf = (base: string) => new URL(base).origin

export interface TestTarget {
  readonly channel: CheckedChannel
  readonly key: string
  readonly upstreamModel: string
  /** Undefined: the protocol that carries most. */
  readonly protocol: string | undefined
}

/** The target of a test; by default the channel's first model and key. Throws an `ApiError` with the field. */
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
