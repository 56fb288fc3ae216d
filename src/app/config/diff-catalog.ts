import { groupFields } from '../../resources/group.ts'
import { planFields } from '../../resources/resource.ts'
import type { ChannelWrite, PriceWrite } from '../../store/ports/admin.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import { vendorPriceWrite, vendorPriceWrites } from '../vendor-price-sync.ts'
import {
  type CurrentState,
  changeOf,
  type Part,
  type PlanInput,
  partOf,
  removalsOf,
} from './change.ts'
import type { Config } from './config.ts'
import { channelFields, priceFields } from './diff-fields.ts'

/** Channels of a plan; keys and proxies are compared, but never shown. */
export function planChannels({ config, current, secrets, prune }: PlanInput): Part<ChannelWrite> {
  const live = new Map(current.catalog.channels.map((row) => [row.name, row]))
  const planned = config.channels.map(({ apiKeys, proxy, ...settings }) => {
    const row = live.get(settings.name)
    const keys = JSON.stringify(apiKeys)
    const sameKeys = row !== undefined && secrets.open(row.keysSealed) === keys
    const sealed = row?.proxySealed ?? null
    const liveProxy = sealed === null ? null : secrets.open(sealed)
    const change = changeOf(
      'channel',
      settings.name,
      row && {
        ...channelFields(row),
        api_keys: 'set',
        ...(liveProxy !== null && { proxy: 'set' }),
      },
      {
        ...channelFields(settings),
        api_keys: row && !sameKeys ? 'changed' : 'set',
        ...proxyField(liveProxy, proxy),
      },
    )
    const write = {
      ...settings,
      ...(!sameKeys && { keysSealed: secrets.seal(keys) }),
      ...(proxy !== liveProxy && { proxySealed: proxy === null ? null : secrets.seal(proxy) }),
    }
    return { change, write }
  })
  return partOf(
    planned,
    prune ? removalsOf('channel', [...live.keys()], names(config.channels)) : [],
  )
}

function proxyField(from: string | null, to: string | null): { proxy?: string } {
  if (to === null) return {}
  return { proxy: from === null || from === to ? 'set' : 'changed' }
}

const names = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name)

export function planGroups({ config, current, prune }: PlanInput): Part<GroupSettings> {
  const live = new Map(current.catalog.groups.map((row) => [row.name, row]))
  const planned = config.groups.map((group) => {
    const row = live.get(group.name)
    return {
      change: changeOf(
        'group',
        group.name,
        row && planFields(groupFields, row),
        planFields(groupFields, group),
      ),
      write: group,
    }
  })
  return partOf(planned, prune ? removalsOf('group', [...live.keys()], names(config.groups)) : [])
}

/** Plans prices: the file's, then vendors' list prices for models without a price. */
export function planPrices({ config, current, prune }: PlanInput): Part<PriceWrite> {
  const { prices } = current.catalog
  const live = new Map(
    prices.filter(({ terms }) => terms.unit !== 'none').map((row) => [row.model, row]),
  )
  const wanted = new Set(config.prices.map(({ model }) => model))
  const channels = prune ? config.channels : [...config.channels, ...notNamed(config, current)]
  const pruned = prune
    ? [...live.values()].filter(({ model, source }) => source !== 'vendor' && !wanted.has(model))
    : []
  const fallbacks = pruned.flatMap((row) => vendorPriceWrite(row.model, row) ?? [])
  const listed = vendorPriceWrites({ channels, prices }).filter(({ model }) => !wanted.has(model))
  const planned = [...config.prices, ...listed, ...fallbacks].map((write) => {
    const row = live.get(write.model)
    const from = row && priceFields(row)
    return { change: changeOf('price', write.model, from, priceFields(write)), write }
  })
  const kept = fallbacks.map(({ model }) => model)
  const goes = pruned.map(({ model }) => model)
  return partOf(planned, removalsOf('price', goes, kept))
}

/** Channels that stay though the file does not name them. */
function notNamed({ channels }: Config, { catalog }: CurrentState) {
  const named = new Set(names(channels))
  return catalog.channels.filter(({ name }) => !named.has(name))
}
