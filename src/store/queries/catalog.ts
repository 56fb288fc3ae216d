import { type Selectable, sql } from 'kysely'
import type {
  CatalogRows,
  CatalogStore,
  ChannelModel,
  ChannelProbe,
  ChannelRow,
  ChannelTimeouts,
  GroupRow,
  PriceRow,
  PriceTerms,
  ProtocolBases,
} from '../ports/catalog.ts'
import { build } from './build.ts'
import type { Engine } from './engine.ts'
import { parseColumn, parseList, parseRegions } from './json.ts'
import { limitsOf } from './limits.ts'
import { all, first, type Steps } from './steps.ts'
import type { ChannelTable, GroupTable, ModelPriceTable } from './tables.ts'

/** What a catalog is made of. */
export const createCatalogStore = ({ read, snapshot }: Engine): CatalogStore => ({
  load: () => snapshot(loadCatalog),
  priceHistory: (model) => read(() => loadPriceHistory(model)),
  oldestSealed: () => read(findOldestSealed),
})

/** The live rows of channels, as they are stored. */
export const channelRows = (): Steps<readonly Selectable<ChannelTable>[]> =>
  all(build.selectFrom('channel').selectAll().where('deleted_at', 'is', null).orderBy('id'))

/** A stored channel as the ports know it. */
export function readChannel(row: Selectable<ChannelTable>): ChannelRow {
  return {
    id: row.id,
    name: row.name,
    status: row.status === 'active' && row.draining === 1 ? 'draining' : row.status,
    speaks: parseColumn<ProtocolBases>(row.speaks),
    keysSealed: row.keys_sealed,
    models: parseColumn<readonly ChannelModel[]>(row.models),
    priority: row.priority,
    weight: row.weight,
    timeouts: parseColumn<ChannelTimeouts>(row.timeouts),
    allowPrivate: row.allow_private === 1,
    quirks: parseList(row.quirks),
    limits: limitsOf(row),
    proxySealed: row.proxy_sealed,
    probe: row.probe === null ? null : parseColumn<ChannelProbe>(row.probe),
  }
}

/** Names of live channels by group, in the order that the group names them. */
export function* loadChannelNames(): Steps<Map<number, string[]>> {
  const links = yield* all(
    build
      .selectFrom('group_channel')
      .innerJoin('channel', 'channel.id', 'group_channel.channel_id')
      .select(['group_channel.group_id', 'channel.name'])
      .where('channel.deleted_at', 'is', null)
      .orderBy('group_channel.group_id')
      .orderBy('group_channel.position'),
  )
  const names = new Map<number, string[]>()
  for (const { group_id, name } of links) {
    const known = names.get(group_id)
    if (known) known.push(name)
    else names.set(group_id, [name])
  }
  return names
}

/** The live rows of groups, as they are stored. */
export const groupRows = (): Steps<readonly Selectable<GroupTable>[]> =>
  all(build.selectFrom('group').selectAll().where('deleted_at', 'is', null).orderBy('id'))

/** A stored group with its channels as the ports know it. */
export function readGroup(row: Selectable<GroupTable>, channels: readonly string[]): GroupRow {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    description: row.description,
    platform: row.platform,
    multiplierMillionths: row.multiplier_millionths,
    channels,
    models: parseList(row.models),
    longContextPricing: row.long_context_pricing === 1,
    onDisconnect: row.on_disconnect,
    limits: limitsOf(row),
    accounts: row.accounts === null ? null : parseList(row.accounts),
    tools: row.tools === null ? null : parseList(row.tools),
    regions: parseRegions(row.regions),
  }
}

function* loadGroups(): Steps<GroupRow[]> {
  const channels = yield* loadChannelNames()
  const rows = yield* groupRows()
  return rows.map((row) => readGroup(row, channels.get(row.id) ?? []))
}

/** Steps from model to model by the index, so that a long history of prices costs nothing. */
const pricesInForce = sql<Selectable<ModelPriceTable>>`
  WITH RECURSIVE priced (model) AS (
    SELECT min(model) FROM model_price
    UNION ALL
    SELECT (SELECT min(model) FROM model_price WHERE model > priced.model)
    FROM priced WHERE priced.model IS NOT NULL
  )
  SELECT price.* FROM priced JOIN model_price AS price ON price.id =
    (SELECT max(id) FROM model_price WHERE model_price.model = priced.model)
  ORDER BY price.model`

/** The prices in force, by model. */
export function* loadPrices(): Steps<PriceRow[]> {
  const rows = yield* all(pricesInForce)
  return rows.map(readPrice)
}

/** A stored price as the ports know it. */
export function readPrice(row: Selectable<ModelPriceTable>): PriceRow {
  const { id, model, source, note } = row
  const terms = parseColumn<PriceTerms>(row.terms)
  return { id, model, terms, source, note, validFrom: row.valid_from }
}

/** Every price that a model, or any, ever had; oldest first. */
function* loadPriceHistory(model?: string): Steps<PriceRow[]> {
  const rows = build.selectFrom('model_price').selectAll().orderBy('id')
  const asked = model === undefined ? rows : rows.where('model', '=', model)
  return (yield* all(asked)).map(readPrice)
}

function* loadCatalog(): Steps<CatalogRows> {
  return {
    channels: (yield* channelRows()).map(readChannel),
    groups: yield* loadGroups(),
    prices: yield* loadPrices(),
  }
}

function* findOldestSealed(): Steps<Uint8Array | undefined> {
  const channels = build.selectFrom('channel').select('keys_sealed as sealed').orderBy('id')
  const channel = yield* first(channels.where('deleted_at', 'is', null).limit(1))
  if (channel) return channel.sealed
  const tokens = build.selectFrom('token').select('key_sealed as sealed').orderBy('id')
  return (yield* first(tokens.where('deleted_at', 'is', null).limit(1)))?.sealed
}
