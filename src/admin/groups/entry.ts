import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import { groupFields as definition } from '../../resources/group.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import type { GroupChange } from './schema.ts'

/** What is there, as the fields that people edit. */
export function groupFields(group: GroupSettings) {
  const { limits } = group
  return {
    name: group.name,
    status: group.status,
    description: group.description,
    platform: group.platform,
    rate_multiplier: formatDecimal(group.multiplierMillionths, multiplierDecimals),
    channels: [...group.channels],
    models: [...group.models],
    long_context_pricing: group.longContextPricing,
    limits: { rpm: limits.rpm, tpm: limits.tpm, concurrency: limits.concurrency },
    on_disconnect: group.onDisconnect,
    accounts: group.accounts && [...group.accounts],
    tools: group.tools && [...group.tools],
    regions: definition.regions.toView(group.regions),
  }
}

/** The fields after a change, in the words of tollgate.yaml: what its rules are applied to. */
export function changedGroup(
  present: Partial<ReturnType<typeof groupFields>>,
  { revision: _, ...change }: GroupChange,
): object {
  const all = { ...present, ...change }
  const { status = 'active', channels = [], accounts, tools, regions, ...fields } = all
  return {
    ...fields,
    channels,
    enabled: status === 'active',
    limits: { ...present.limits, ...change.limits },
    ...(accounts && { accounts }),
    ...(tools && { tools }),
    ...(regions && { regions }),
  }
}
