import { formatDurationMs } from '../../lib/format.ts'
import type { ChannelSettings } from '../../store/ports/catalog.ts'
import type { ChannelChange } from './schema.ts'

/** A channel as tollgate.yaml writes it: what its rules are applied to. */
export type ChannelEntry = { readonly [key: string]: unknown }

/** A channel that was checked, its credentials in the clear. */
export interface CheckedChannel extends ChannelSettings {
  readonly apiKeys: readonly string[]
  readonly proxy: string | null
}

/** What is there, as the fields that people edit. */
export function fieldsOf(channel: CheckedChannel) {
  const { timeouts, probe, limits } = channel
  return {
    name: channel.name,
    status: channel.status,
    speaks: { ...channel.speaks },
    models: channel.models.map(({ id, upstream }) => ({ id, upstream })),
    priority: channel.priority,
    weight: channel.weight,
    timeouts: {
      connect: formatDurationMs(timeouts.connectMs),
      first_byte: formatDurationMs(timeouts.firstByteMs),
      idle: formatDurationMs(timeouts.idleMs),
      total: formatDurationMs(timeouts.totalMs),
    },
    limits: { rpm: limits.rpm, tpm: limits.tpm, concurrency: limits.concurrency },
    quirks: [...channel.quirks],
    probe: probe && { every: formatDurationMs(probe.everyMs), model: probe.model },
    allow_private: channel.allowPrivate,
    proxy: channel.proxy,
    api_keys: [...channel.apiKeys],
  }
}

type Fields = Partial<ReturnType<typeof fieldsOf>>

/** The fields after a change; `markOf` names keys that are to go. */
export function changedFields(
  present: Fields,
  { add_keys = [], remove_keys = [], revision: _, ...change }: ChannelChange,
  markOf: (key: string) => string,
): ChannelEntry {
  const kept = (present.api_keys ?? []).filter((key) => !remove_keys.includes(markOf(key)))
  const api_keys = [...(change.api_keys ?? kept), ...add_keys]
  return entryOf({
    ...present,
    ...change,
    timeouts: { ...present.timeouts, ...change.timeouts },
    limits: { ...present.limits, ...change.limits },
    api_keys,
  })
}

/** Fields in the words of tollgate.yaml. */
function entryOf({
  status = 'active',
  models,
  probe,
  proxy,
  ...fields
}: ChannelEntry): ChannelEntry {
  return {
    ...fields,
    enabled: status !== 'disabled',
    drain: status === 'draining',
    models: (models as { id: string; upstream?: string }[]).map(({ id, upstream }) =>
      upstream === undefined || upstream === '' || upstream === id ? id : { id, upstream },
    ),
    ...(probe != null && { probe: probeEntry(probe) }),
    // An empty field means none.
    ...(proxy != null && proxy !== '' && { proxy }),
  }
}

function probeEntry(probe: NonNullable<unknown>) {
  const { every, model } = probe as { every: string; model?: string | null }
  return { every, ...(model != null && model !== '' && { model }) }
}
