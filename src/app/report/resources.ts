import { overdrawnNano } from '../../billing/money.ts'
import { buildCatalog } from '../../catalog/catalog.ts'
import { isoTime } from '../../lib/format.ts'
import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { toReport } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import type { AccountView, TokenView } from '../../store/ports/admin.ts'
import type { CatalogRows, ChannelRow, GroupRow } from '../../store/ports/catalog.ts'
import type { Spent } from '../../store/ports/records.ts'
import type { Store } from '../../store/ports/store.ts'

/** A token without its key. `spent`: of one with a budget. */
function tokenReport(token: TokenView, spent?: Spent) {
  return {
    id: token.id,
    account: token.account,
    key_hint: token.keyHint,
    ...toReport(tokenFields, token),
    spent: spent === undefined ? null : spentReport(spent),
    created_at: isoTime(token.createdAt),
  }
}
export type TokenReport = ReturnType<typeof tokenReport>

function spentReport({ totalNano, dayNano, monthNano, day }: Spent) {
  return { total_nano: totalNano, day_nano: dayNano, month_nano: monthNano, day }
}

/** A token with its spending, if it has a budget. */
export async function tokenDetails(
  { admin }: Pick<Store, 'admin'>,
  token: TokenView,
): Promise<TokenReport> {
  const [found] = hasBudget(token) ? await admin.spending([token.id]) : []
  return tokenReport(token, found?.spent)
}

/** Many tokens with their spending, in one query. */
export async function tokenReports(
  { admin }: Pick<Store, 'admin'>,
  tokens: readonly TokenView[],
): Promise<TokenReport[]> {
  const found = await admin.spending(tokens.filter(hasBudget).map(({ id }) => id))
  const spent = new Map(found.map((one) => [one.tokenId, one.spent]))
  return tokens.map((token) => tokenReport(token, spent.get(token.id)))
}

const hasBudget = ({ budget }: TokenView) => Object.values(budget).some((nano) => nano !== null)

/** An account. `usualLowNano`: the default low-balance threshold. */
export function accountReport(account: AccountView, usualLowNano: number) {
  const lowNano = account.balanceLowNano ?? usualLowNano
  const { balance_low_below_nano: _, ...fields } = toReport(accountFields, account)
  return {
    email: account.email,
    vouched: account.isVouched,
    ...fields,
    balance_nano: account.balanceNano,
    reserved_nano: account.reservedNano,
    balance_low: account.balanceNano < lowNano,
    balance_low_threshold_nano: lowNano,
    overdrawn_nano: overdrawnNano(account),
    token_count: account.tokenCount,
    created_at: isoTime(account.createdAt),
  }
}
export type AccountReport = ReturnType<typeof accountReport>

/** A channel without its keys and proxy. */
export function channelReport(channel: ChannelRow, { groups }: CatalogRows) {
  return {
    name: channel.name,
    status: channel.status,
    ...toReport(channelFields, channel),
    proxy: channel.proxySealed === null ? null : ('set' as const),
    groups: groups.filter((group) => group.channels.includes(channel.name)).map((g) => g.name),
  }
}

export type ChannelReport = ReturnType<typeof channelReport>

/** A group with its callable models, and those that lack a price. */
export function groupReport(group: GroupRow, rows: CatalogRows) {
  const offers = buildSealed(rows).groups.get(group.id)?.offers ?? new Map()
  const callable = [...offers.values()].filter((offer) => offer.candidates.length > 0)
  return {
    name: group.name,
    ...toReport(groupFields, group),
    callable_models: callable.map((offer): string => offer.model).sort(),
    models_without_price: offeredModels(group, rows).filter((model) => !offers.has(model)),
  }
}

export type GroupReport = ReturnType<typeof groupReport>

/** Models of a group's channels that it sells, priced or not. */
function offeredModels(group: GroupRow, { channels }: CatalogRows): string[] {
  const members = channels.filter(({ name }) => group.channels.includes(name))
  const ids = new Set(members.flatMap(({ models }) => models.map(({ id }) => id)))
  return [...ids].filter((id) => group.models.length === 0 || group.models.includes(id)).sort()
}

/** Larger numbers are not counted: a start must not take longer with them. */
export const mostCounted = 10_000

/** Counts of a store; `models` counts callable ones. */
export async function takeInventory(store: Store) {
  const [rows, counts] = await Promise.all([store.catalog.load(), store.admin.counts(mostCounted)])
  return {
    channels: rows.channels.length,
    groups: rows.groups.length,
    models: buildSealed(rows).models.size,
    ...counts,
  }
}
export type Inventory = Awaited<ReturnType<typeof takeInventory>>

const buildSealed = (rows: CatalogRows) =>
  buildCatalog(
    rows,
    () => [],
    () => '',
  )
