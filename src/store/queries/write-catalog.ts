import {
  type ChannelWrite,
  type GroupWrite,
  type PriceWrite,
  WriteRefused,
} from '../ports/admin.ts'
import type { PriceTerms, TokenRates } from '../ports/catalog.ts'
import type { ExtraPrices } from '../ports/extras.ts'
import { build } from './build.ts'
import { regionsText } from './json.ts'
import { limitsOf } from './limits.ts'
import { findNamed, requireNamed } from './names.ts'
import { first, run, type Steps } from './steps.ts'

/** What a channel's row holds, but for its name and its keys. */
export function channelColumns(channel: Omit<ChannelWrite, 'name' | 'keysSealed'>) {
  const { proxySealed, probe } = channel
  return {
    status: channel.status === 'disabled' ? ('disabled' as const) : ('active' as const),
    draining: channel.status === 'draining' ? 1 : 0,
    speaks: JSON.stringify(channel.speaks),
    models: JSON.stringify(channel.models.map(({ id, upstream }) => ({ id, upstream }))),
    priority: channel.priority,
    weight: channel.weight,
    timeouts: JSON.stringify(channel.timeouts),
    allow_private: channel.allowPrivate ? 1 : 0,
    quirks: JSON.stringify(channel.quirks),
    ...limitsOf(channel.limits),
    probe: probe && JSON.stringify({ everyMs: probe.everyMs, model: probe.model }),
    ...(proxySealed !== undefined && { proxy_sealed: proxySealed }),
  }
}

/** Creates or updates a channel; a new one must bring its keys. */
export function* writeChannel(channel: ChannelWrite, now: number): Steps<void> {
  const { name, keysSealed } = channel
  const columns = channelColumns(channel)
  const id = yield* findNamed('channel', name)
  if (id !== undefined) {
    const keys = keysSealed === undefined ? {} : { keys_sealed: keysSealed }
    yield* run(
      build
        .updateTable('channel')
        .set({ ...columns, ...keys })
        .where('id', '=', id),
    )
    return
  }
  if (keysSealed === undefined) {
    throw new WriteRefused(`channel "${name}" is new, so it needs the keys of its upstream`)
  }
  const row = { name, ...columns, keys_sealed: keysSealed, created_at: now }
  yield* run(build.insertInto('channel').values(row))
}

/** What a group's row holds, but for its name. */
export const groupColumns = (group: Omit<GroupWrite, 'name' | 'channels'>) => ({
  status: group.status,
  description: group.description,
  platform: group.platform,
  multiplier_millionths: group.multiplierMillionths,
  models: JSON.stringify(group.models),
  long_context_pricing: group.longContextPricing ? 1 : 0,
  on_disconnect: group.onDisconnect,
  accounts: group.accounts && JSON.stringify(group.accounts),
  tools: group.tools && JSON.stringify(group.tools),
  regions: regionsText(group.regions),
  ...limitsOf(group.limits),
})

function* saveGroup(group: GroupWrite, now: number): Steps<number | undefined> {
  const columns = groupColumns(group)
  const id = yield* findNamed('group', group.name)
  if (id === undefined) {
    const row = { name: group.name, ...columns, created_at: now }
    return (yield* first(build.insertInto('group').values(row).returning('id')))?.id
  }
  yield* run(build.updateTable('group').set(columns).where('id', '=', id))
  return id
}

/** Creates or updates a group and puts its channels in the order in which they are named. */
export function* writeGroup(group: GroupWrite, now: number): Steps<void> {
  const id = yield* saveGroup(group, now)
  if (id === undefined) throw new Error(`Group "${group.name}" got no row.`)
  yield* linkChannels(id, group)
}

/** Puts these channels, and no others, into a group; refuses unknown names. */
export function* linkChannels(
  id: number,
  group: Pick<GroupWrite, 'name' | 'channels'>,
): Steps<void> {
  yield* run(build.deleteFrom('group_channel').where('group_id', '=', id))
  const asker = `group "${group.name}"`
  const channels = new Set<number>()
  for (const name of group.channels) channels.add(yield* requireNamed('channel', name, asker))
  for (const [position, channelId] of [...channels].entries()) {
    const link = { group_id: id, position, channel_id: channelId }
    yield* run(build.insertInto('group_channel').values(link))
  }
}

// Undefined leaves no trace in the text.
function ratesInOrder(rates: TokenRates) {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = rates
  const modalities = sorted(rates.modalities)
  return { input, output, cacheRead, cacheWrite, cacheWrite1h, modalities }
}

function extrasInOrder({ tools, serviceTiers }: ExtraPrices = {}) {
  const extras = { tools: sorted(tools), serviceTiers: sorted(serviceTiers) }
  return extras.tools || extras.serviceTiers ? extras : undefined
}

/** By name; nothing for a list without entries. */
function sorted(prices: { readonly [name: string]: number } = {}) {
  const entries = Object.entries(prices).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Terms as text: equal terms are equal texts, whatever the order of their fields. */
function termsText(terms: PriceTerms): string {
  switch (terms.unit) {
    case 'tokens': {
      const { unit, base, contextWindow } = terms
      const tiers = terms.tiers.map((tier) => ({ above: tier.above, ...ratesInOrder(tier) }))
      const extras = extrasInOrder(terms.extras)
      return JSON.stringify({ unit, base: ratesInOrder(base), tiers, contextWindow, extras })
    }
    case 'call':
      return JSON.stringify({
        unit: terms.unit,
        perCallNano: terms.perCallNano,
        extras: extrasInOrder(terms.extras),
      })
    default:
      return JSON.stringify({ unit: terms.unit })
  }
}

function* priceInForce(model: string) {
  return yield* first(
    build
      .selectFrom('model_price')
      .select(['id', 'terms', 'source', 'note'])
      .where('model', '=', model)
      .orderBy('id', 'desc')
      .limit(1),
  )
}

/** Adds a price that holds from now on, unless it is the one in force or replaces another one. */
export function* writePrice(price: PriceWrite, now: number): Steps<void> {
  const { model, source, note, replaces } = price
  const terms = termsText(price.terms)
  const present = yield* priceInForce(model)
  if (replaces !== undefined && replaces !== (present?.id ?? null)) return
  if (present?.terms === terms && present.source === source && present.note === note) return
  const row = { model, terms, source, note, valid_from: now }
  yield* run(build.insertInto('model_price').values(row))
}

/** Takes a model's price away: the history says so, nothing is overwritten. */
export function* removePrice(model: string, now: number): Steps<void> {
  const present = yield* priceInForce(model)
  if (present === undefined || present.terms === termsText({ unit: 'none' })) {
    throw new WriteRefused(`model "${model}" has no price that could be removed`)
  }
  yield* writePrice({ model, terms: { unit: 'none' }, source: present.source, note: '' }, now)
}
