import type { CatalogRows, ChannelRow, GroupRow, PriceRow } from '../store/ports/catalog.ts'
import { type Member, mayUse } from '../store/ports/group-access.ts'
import { type ContextWindows, createContextWindows } from './model-facts.ts'

/** An upstream address with its decrypted keys, ready to be called. */
export interface Channel extends Omit<ChannelRow, 'status' | 'models' | `${string}Sealed`> {
  readonly keys: readonly string[]
  /** It gets no new conversations; existing ones continue there. */
  readonly isDraining: boolean
  /** Proxy address; undefined: the environment's, if any. */
  readonly proxy: string | undefined
}

/** A channel that can answer for a model, with the upstream's model name. */
export interface Candidate {
  readonly channel: Channel
  readonly upstreamModel: string
}

export interface Offer {
  readonly model: string
  readonly price: PriceRow
  /** Ascending by priority; empty while all its channels are off. */
  readonly candidates: readonly Candidate[]
  /** In LLM tokens; null: unknown. */
  readonly contextWindow: number | null
}

export interface Group extends Omit<GroupRow, 'status' | 'channels' | 'models' | 'accounts'> {
  readonly enabled: boolean
  /** E-mails of the accounts that may use it; null: open to all. */
  readonly accounts: ReadonlySet<string> | null
  readonly offers: ReadonlyMap<string, Offer>
}

export interface ListedModel {
  readonly id: string
  readonly ownedBy: string
  /** Milliseconds since 1970 at which its price became valid. */
  readonly createdAt: number
}

/** Callable models, their channels and prices: an immutable snapshot, replaced as a whole. */
export interface Catalog {
  readonly groups: ReadonlyMap<number, Group>
  /** The subset of groups that is open to all accounts. */
  readonly openGroups: ReadonlyMap<number, Group>
  readonly channels: ReadonlyMap<number, Channel>
  /** Sorted by id (code points). */
  readonly models: ReadonlyMap<string, ListedModel>
}

/** Builds the snapshot; `openKeys` and `openProxy` decrypt channel secrets. */
export function buildCatalog(...parts: Parameters<typeof catalogSteps>): Catalog {
  const steps = catalogSteps(...parts)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same for `inSlices`: yields after each few models. */
export function* catalogSteps(
  rows: CatalogRows,
  openKeys: (sealed: Uint8Array) => readonly string[],
  openProxy: (sealed: Uint8Array) => string,
): Generator<void, Catalog> {
  const prices = new Map(rows.prices.map((price) => [price.model, price]))
  const channels = new Map<number, Channel>()
  for (const row of rows.channels) {
    if (row.status === 'disabled') continue
    const proxy = row.proxySealed === null ? undefined : openProxy(row.proxySealed)
    channels.set(row.id, openChannel(row, openKeys(row.keysSealed), proxy))
  }
  const channelRows = new Map(rows.channels.map((row) => [row.name, row]))
  const parts = { channelRows, channels, prices, contextWindows: createContextWindows() }
  const groups = new Map<number, Group>()
  for (const row of rows.groups) groups.set(row.id, yield* buildGroup(row, parts))
  const isOpen = ([, { accounts }]: readonly [number, Group]) => accounts === null
  const openGroups = new Map([...groups].filter(isOpen))
  // Open groups come first: a model is listed with what all accounts may see.
  const models = yield* listModels([...openGroups.values(), ...groups.values()])
  return { groups, openGroups, channels, models }
}

/** A channel with decrypted keys and proxy. */
export function openChannel(
  row: Omit<ChannelRow, 'keysSealed' | 'proxySealed'>,
  keys: readonly string[],
  proxy: string | undefined,
): Channel {
  const { id, name, speaks, priority, weight, timeouts, allowPrivate, quirks } = row
  const { status, limits, probe } = row
  return {
    ...{ id, name, speaks, keys, priority, weight, timeouts, allowPrivate, quirks },
    ...{ isDraining: status === 'draining', limits, proxy, probe },
  }
}

interface GroupParts {
  readonly channelRows: ReadonlyMap<string, ChannelRow>
  readonly channels: ReadonlyMap<number, Channel>
  readonly prices: ReadonlyMap<string, PriceRow>
  readonly contextWindows: ContextWindows
}

const modelsPerStep = 100

function* buildGroup(row: GroupRow, parts: GroupParts): Generator<void, Group> {
  const { channelRows, channels, prices, contextWindows } = parts
  const { status, models, channels: names, accounts, ...rest } = row
  const allowed = models.length > 0 ? new Set(models) : undefined
  const candidates = new Map<string, Candidate[]>()
  let built = 0
  for (const name of names) {
    const channelRow = channelRows.get(name)
    if (channelRow === undefined) continue
    for (const model of channelRow.models) {
      if (++built % modelsPerStep === 0) yield
      if (allowed && !allowed.has(model.id)) continue
      const known = candidates.get(model.id) ?? []
      candidates.set(model.id, known)
      const channel = channels.get(channelRow.id)
      if (channel) known.push({ channel, upstreamModel: model.upstream })
    }
  }
  const offers = new Map<string, Offer>()
  for (const [model, found] of candidates) {
    if (++built % modelsPerStep === 0) yield
    const price = prices.get(model)
    if (price === undefined || price.terms.unit === 'none') continue
    found.sort((a, b) => a.channel.priority - b.channel.priority)
    const contextWindow = contextWindows.of(price, found)
    offers.set(model, { model, price, candidates: found, contextWindow })
  }
  const members = accounts && new Set(accounts)
  return { ...rest, enabled: status === 'active', accounts: members, offers }
}

function* listModels(groups: Iterable<Group>): Generator<void, ReadonlyMap<string, ListedModel>> {
  const models = new Map<string, ListedModel>()
  for (const group of groups) {
    if (!group.enabled) continue
    yield
    for (const offer of group.offers.values()) {
      if (offer.candidates.length === 0 || models.has(offer.model)) continue
      const ownedBy = group.platform || 'tollgate'
      models.set(offer.model, { id: offer.model, ownedBy, createdAt: offer.price.validFrom })
    }
  }
  return new Map([...models].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * A group as an account may see it. A closed group's current name, models and prices stay hidden from other
 * accounts. A group that is only switched off stays visible.
 */
export const seenBy = (
  account: Member | undefined,
  group: Group | undefined,
): Group | 'closed' | undefined =>
  group === undefined || (account && mayUse(group.accounts, account)) ? group : 'closed'
