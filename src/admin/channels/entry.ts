import { channelFields } from '../../resources/channel.ts'
import { changedEntry, toWritten } from '../../resources/resource.ts'
import type { ChannelSettings } from '../../store/ports/catalog.ts'
import type { ChannelChange } from './schema.ts'

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
