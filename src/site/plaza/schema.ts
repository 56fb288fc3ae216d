import { type Static, Type } from '@sinclair/typebox'
import { successful } from '../schemas.ts'

const usd = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description })

/** Prices in USD per single token, or per request. */
const prices = {
  input_price: usd('USD per input token; null: not billed by tokens.'),
  output_price: usd('USD per output token; null: not billed by tokens.'),
  cache_write_price: usd('USD per token written to a cache for 5 minutes; null: none.'),
  cache_write_1h_price: usd('USD per token written to a cache for 1 hour; null: none.'),
  cache_read_price: usd('USD per token read from a cache; null: none.'),
  per_request_price: usd('USD per request; null: billed by tokens.'),
}

const PlazaInterval = Type.Object(
  {
    min_tokens: Type.Integer({
      minimum: 0,
      description: 'Context tokens above which these prices hold; itself not included.',
    }),
    max_tokens: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: 'Context tokens up to which they hold, itself included; null: no end.',
    }),
    tier_label: Type.String({ description: 'The range in words, such as >200K.' }),
    ...prices,
  },
  { description: 'The whole request costs this when its context is in the range.' },
)

const PlazaPricing = Type.Object(
  {
    billing_mode: Type.Union([Type.Literal('token'), Type.Literal('per_request')], {
      description: 'What is counted.',
    }),
    ...prices,
    intervals: Type.Array(PlazaInterval, {
      description: 'Other prices for long contexts; empty: the prices above hold for all.',
    }),
    modality_prices: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      description: 'USD per token that is no text, such as input_audio or output_image.',
    }),
    tool_prices: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      description: 'USD for each use of a tool that the vendor runs, such as web_search.',
    }),
    service_tiers: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
      description: 'What tokens and calls are multiplied by in a service tier, such as priority.',
    }),
  },
  { description: 'Prices in USD, rounded to 12 significant digits.' },
)

const PlazaModel = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Model id, exactly as clients send it.' }),
    platform: Type.String({ description: "The group's platform word; may be empty." }),
    pricing: Type.Composite([PlazaPricing], {
      description: 'Base price; times rate_multiplier it is what the price feed shows.',
    }),
    official_pricing: Type.Union([PlazaPricing, Type.Null()], {
      description: "The vendor's list price; null: not known.",
    }),
  },
  { description: 'A model of the group.' },
)

const PlazaGroup = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the group.' }),
    name: Type.String({ minLength: 1, description: 'To be compared byte for byte.' }),
    description: Type.String({ description: 'What the operator says about it; may be empty.' }),
    platform: Type.String({ description: 'Platform word, such as openai; may be empty.' }),
    rate_multiplier: Type.Number({
      minimum: 0,
      description: 'Every base price is multiplied by it.',
    }),
    long_context_pricing_enabled: Type.Boolean({
      description: 'Whether long contexts have prices of their own here.',
    }),
    models: Type.Array(PlazaModel, { minItems: 1, description: 'Sorted by name.' }),
  },
  { description: 'A group with at least one model.' },
)

/** The model plaza. */
export const PlazaDocument = successful(
  Type.Object({
    description: Type.String({ description: 'What the operator says about the plaza.' }),
    groups: Type.Array(PlazaGroup, { description: 'Sorted by multiplier, then name.' }),
  }),
  { title: 'Model plaza', description: 'Base prices and multipliers of all groups.' },
)
export type PlazaDocument = Static<typeof PlazaDocument>
