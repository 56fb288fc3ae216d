import { type Static, Type } from '@sinclair/typebox'
import { ListOf } from '../envelope.ts'
import { oneOf, orNull } from '../shapes.ts'

const Usd = Type.String({ maxLength: 40, description: 'USD, a plain decimal.' })
const Text = Type.String()

const byName = (description: string) =>
  Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 40 }), { description })

/** Prices of one tier in USD per 1M tokens; null: not set, charged as its fallback. */
const rates = {
  input: Usd,
  output: Usd,
  cache_read: orNull(Usd),
  cache_write: orNull(Usd),
  cache_write_1h: orNull(Usd),
  others: byName('USD per 1M tokens that are no text, such as input_audio.'),
}

/** Prices besides tokens and calls; what is not named has the vendor's list price. */
const extras = {
  tools: byName('USD per 1,000 uses of a tool that the vendor runs, or free.'),
  service_tiers: byName('What tokens and calls are multiplied by in a service tier.'),
}

export const PriceTermsView = Type.Union([
  Type.Object({
    unit: Type.Literal('tokens'),
    ...rates,
    tiers: Type.Array(Type.Object({ above: Type.Integer(), ...rates })),
    ...extras,
  }),
  Type.Object({ unit: Type.Literal('call'), per_call: Usd, ...extras }),
  Type.Object({ unit: Type.Literal('free') }),
  Type.Object({ unit: Type.Literal('none') }),
])
export type PriceTermsView = Static<typeof PriceTermsView>

export const PriceVersion = Type.Object({
  id: Type.Integer(),
  terms: PriceTermsView,
  source: oneOf(['config', 'operator', 'vendor']),
  note: Text,
  context_window: orNull(
    Type.Integer(),
    'Tokens that the model can hold, where it was set with the price.',
  ),
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
    Type.Object({
      id: Text,
      vendor: Text,
      terms: PriceTermsView,
      until: orNull(Text),
    }),
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
})

/** Any short text: the rules of tollgate.yaml validate it. */
const Given = Type.Optional(orNull(Type.String({ maxLength: 40 })))
const givenRates = {
  input: Given,
  output: Given,
  cache_read: Given,
  cache_write: Given,
  cache_write_1h: Given,
  others: Type.Optional(rates.others),
}

/** A price by token, by call or free; null is the same as left out. */
export const GivenPrice = Type.Object({
  ...givenRates,
  tiers: Type.Optional(
    Type.Array(
      Type.Object({
        above: Type.Union([Type.Integer(), Type.String({ maxLength: 40 })]),
        ...givenRates,
      }),
      { maxItems: 20 },
    ),
  ),
  context_window: Type.Optional(
    orNull(
      Type.Union([Type.Integer(), Type.String({ maxLength: 40 })]),
      'Tokens; null: as the vendor says; left out: as it is.',
    ),
  ),
  per_call: Given,
  tools: Type.Optional(extras.tools),
  service_tiers: Type.Optional(extras.service_tiers),
  free: Type.Optional(Type.Boolean()),
})
export type GivenPrice = Static<typeof GivenPrice>

const Replaces = orNull(
  Type.Integer(),
  'Id of the price that was in force when you looked; null: there was none.',
)

export const PriceChange = Type.Object({
  ...GivenPrice.properties,
  note: Type.Optional(
    Type.String({ maxLength: 500, description: 'Shown in the price feed; left out: as it is.' }),
  ),
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
export const FeedPage = ListOf(FeedRowView)
export type FeedRowView = Static<typeof FeedRowView>
