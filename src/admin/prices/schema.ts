import { type Static, Type } from '@sinclair/typebox'
import { GivenPrice } from '../../resources/given-price.ts'
import { PriceTermsView, priceFields } from '../../resources/price.ts'
import { patchProperties } from '../../resources/resource.ts'
import { ListOf } from '../envelope.ts'
import { oneOf, orNull, SortBy } from '../shapes.ts'

export { GivenPrice, type PriceTermsView }

const Usd = Type.String({ maxLength: 40, description: 'USD, a plain decimal.' })
const Text = Type.String()

export const PriceVersion = Type.Object({
  id: Type.Integer(),
  terms: PriceTermsView,
  source: oneOf(['config', 'operator', 'vendor']),
  note: Text,
  context_window: priceFields.context_window.view,
  valid_from: Text,
})
export type PriceVersion = Static<typeof PriceVersion>

export const PriceView = Type.Object({
  model: Text,
  price: orNull(PriceVersion, 'Null: it never had one.'),
  is_callable: Type.Boolean({ description: 'Whether some group can sell it now.' }),
  is_missing: Type.Boolean({ description: 'A channel offers it, but it has no price.' }),
  in_file: Type.Boolean({ description: 'tollgate.yaml sets it: at each start anew.' }),
  context_window: orNull(
    Type.Integer(),
    'Tokens that the model can hold: as set, else as its vendor says.',
  ),
  vendor: orNull(
    Type.Object({ id: Text, vendor: Text, terms: PriceTermsView, until: orNull(Text) }),
    "The vendor's list price; null: not known.",
  ),
  channels: Type.Array(Type.Object({ id: Type.Integer(), name: Text, status: Text })),
  groups: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Text,
      rate_multiplier: Text,
      enabled: Type.Boolean(),
      long_context_pricing: Type.Boolean(),
    }),
  ),
})
export type PriceView = Static<typeof PriceView>

export const PriceList = ListOf(PriceView)
export const PriceHistory = ListOf(PriceVersion)

export const PriceFilter = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the model id.' })),
  state: Type.Optional(
    oneOf(
      ['missing', 'override', 'vendor', 'unused'],
      'missing: offered without a price; override: of the file or set by hand; vendor: a list price; unused: no channel offers it.',
    ),
  ),
  sort: SortBy(
    ['model', 'input', 'output', 'cache_read', 'source', 'valid_from'],
    'offered models without a price first, then by model id. input, output, cache_read: by their prices per 1M tokens',
  ),
})

const Replaces = orNull(
  Type.Integer(),
  'Id of the price that was in force when you looked; null: there was none.',
)

export const PriceChange = Type.Object({
  ...GivenPrice.properties,
  ...patchProperties({ note: priceFields.note }),
  replaces: Replaces,
})
export type PriceChange = Static<typeof PriceChange>

export const PriceRemoval = Type.Object({
  replaces: Replaces,
  to: Type.Optional(
    oneOf(['list_price', 'not_callable'], "Left out: the vendor's list price, where one is known."),
  ),
})
export type PriceRemoval = Static<typeof PriceRemoval>

export const PriceRemoved = Type.Object({
  result: oneOf(['list_price', 'not_callable']),
  price: PriceView,
})

/** Final prices under the names of the price feed. */
export const FinalPrices = Type.Object({
  unit_price: Type.Optional(Text),
  input_price: Type.Optional(Text),
  output_price: Type.Optional(Text),
  cache_input_price: Type.Optional(Text),
  cache_create_price: Type.Optional(Text),
  cache_create_price_1h: Type.Optional(Text),
})

const Sold = Type.Object({
  enabled: Type.Boolean(),
  note: Text,
  prices: FinalPrices,
  tiers: Type.Array(Type.Object({ above: Type.Integer(), prices: FinalPrices })),
})

/** A group's prices for a model, now and with another price; null: it does not offer it. */
export const GroupPreview = Type.Object({
  group: Text,
  rate_multiplier: Text,
  long_context_pricing: Type.Boolean(),
  before: orNull(Sold),
  after: orNull(Sold),
})
export type GroupPreview = Static<typeof GroupPreview>

export const PricePreview = Type.Object({ groups: Type.Array(GroupPreview) })

export const SimulationOrder = Type.Object({
  ...GivenPrice.properties,
  days: Type.Integer({ minimum: 1, maximum: 90, default: 7 }),
})
export type SimulationOrder = Static<typeof SimulationOrder>

/** What the recorded requests of the last days would have cost. */
export const SimulationView = Type.Object({
  since: Text,
  requests: Type.Integer({ description: 'Compared.' }),
  charged: Usd,
  simulated: Usd,
  difference: Usd,
  percent: orNull(Type.Number()),
  not_compared: Type.Integer({ description: 'Requests that used nothing.' }),
  is_complete: Type.Boolean({ description: 'False: only the first of very many were compared.' }),
  groups: Type.Array(GroupPreview),
})
export type SimulationView = Static<typeof SimulationView>

export const FeedRowView = Type.Object({
  model: Text,
  group: Text,
  unit: oneOf(['per_1m_tokens', 'per_call']),
  prices: FinalPrices,
  enabled: Type.Boolean(),
  note: Text,
})
export const FeedFilter = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 200 })),
  sort: SortBy(['group', 'model'], 'by group, then by model'),
})
export const FeedPage = ListOf(FeedRowView)
export type FeedRowView = Static<typeof FeedRowView>
