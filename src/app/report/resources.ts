import { formatDecimal, multiplierDecimals } from '../../billing/money.ts'
import { buildCatalog } from '../../catalog/catalog.ts'
import type { AccountView, TokenView } from '../../store/ports/admin.ts'
import type { CatalogRows, ChannelRow, GroupRow } from '../../store/ports/catalog.ts'
import type { Store } from '../../store/ports/store.ts'
import { isoTime } from './fields.ts'

/** A token for machines and lists: everything but its key. */
export function tokenReport(token: TokenView) {
  return {
    id: token.id,
    account: token.account,
    name: token.name,
    key_hint: token.keyHint,
    group: token.group,
    status: token.status,
    models: token.models,
    ip_allow: token.ipAllow,
    expires_at: token.expiresAt === null ? null : isoTime(token.expiresAt),
    created_at: isoTime(token.createdAt),
  }
}

/** An account in a list. */
export function accountReport(account: AccountView) {
  return {
    email: account.email,
    role: account.role,
    status: account.status,
    balance_nano: account.balanceNano,
    token_count: account.tokenCount,
    created_at: isoTime(account.createdAt),
  }
}

/** An account with its tokens. */
export function accountDetails(account: AccountView, tokens: readonly TokenView[]) {
  const { created_at, ...report } = accountReport(account)
  return {
    ...report,
    // This version charges at the end of a request and sets nothing aside before.
    reserved_nano: 0,
    created_at,
    tokens: tokens.map(tokenReport),
  }
}

/** A channel without its keys. */
export function channelReport(channel: ChannelRow, { groups }: CatalogRows) {
  const { timeouts } = channel
  return {
    name: channel.name,
    status: channel.status,
    speaks: channel.speaks,
    models: channel.models,
    priority: channel.priority,
    weight: channel.weight,
    timeouts: {
      connect_ms: timeouts.connectMs,
      first_byte_ms: timeouts.firstByteMs,
      idle_ms: timeouts.idleMs,
      total_ms: timeouts.totalMs,
    },
    allow_private: channel.allowPrivate,
    groups: groups.filter((group) => group.channels.includes(channel.name)).map((g) => g.name),
  }
}

/** A group with what can be called in it, and what can't for want of a price. */
export function groupReport(group: GroupRow, rows: CatalogRows) {
  const offers = buildCatalog(rows, () => []).groups.get(group.id)?.offers ?? new Map()
  const callable = [...offers.values()].filter((offer) => offer.candidates.length > 0)
  return {
    name: group.name,
    status: group.status,
    description: group.description,
    platform: group.platform,
    rate_multiplier: Number(formatDecimal(group.multiplierMillionths, multiplierDecimals)),
    channels: group.channels,
    models: group.models,
    callable_models: callable.map((offer): string => offer.model).sort(),
    models_without_price: offeredModels(group, rows).filter((model) => !offers.has(model)),
    long_context_pricing: group.longContextPricing,
    on_disconnect: group.onDisconnect,
    limits: group.limits,
  }
}

/** Models that a group's channels have and that it does not leave out, priced or not. */
function offeredModels(group: GroupRow, { channels }: CatalogRows): string[] {
  const members = channels.filter(({ name }) => group.channels.includes(name))
  const ids = new Set(members.flatMap(({ models }) => models.map(({ id }) => id)))
  return [...ids].filter((id) => group.models.length === 0 || group.models.includes(id)).sort()
}

/** How much of everything a store holds; `models` counts those that can be called now. */
export async function takeInventory(store: Store) {
  const [rows, accounts] = await Promise.all([store.catalog.load(), store.admin.accounts()])
  return {
    channels: rows.channels.length,
    groups: rows.groups.length,
    models: buildCatalog(rows, () => []).models.size,
    accounts: accounts.length,
    tokens: accounts.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
  }
}
/** Counts of live rows. */
export type Inventory = Awaited<ReturnType<typeof takeInventory>>
