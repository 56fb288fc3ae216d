import { type Static, Type } from '@sinclair/typebox'
import { groupFields } from '../../resources/group.ts'
import { LimitsChange, LimitsView } from '../limits.ts'
import { orNull, Status } from '../shapes.ts'

const OnDisconnect = Type.Union([Type.Literal('bill_observed'), Type.Literal('drain')], {
  description:
    'When a client leaves: stop and bill what was seen, where that is all the vendor bills; or read every answer to its end.',
})

const Accounts = orNull(
  Type.Array(Type.String({ maxLength: 320 }), { maxItems: 10_000 }),
  'E-mails of the accounts that may use it; null: it is open to all.',
)

const Tools = orNull(
  Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64 }),
  'Tools of the vendors that may be used; null: all that have a price.',
)

const Regions = groupFields.regions.view

const common = {
  id: Type.Integer(),
  name: Type.String(),
  status: Status,
  description: Type.String(),
  platform: Type.String(),
  rate_multiplier: Type.String({ description: 'Every price is multiplied by this; exact.' }),
  channels: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  tokens: Type.Integer({ description: 'Counted no further than 10,000.' }),
  tokens_is_exact: Type.Boolean(),
  offers: Type.Integer({ description: 'How many models can be called now.' }),
  without_price: Type.Integer({ description: 'How many can not, for want of a price.' }),
  in_file: Type.Boolean({
    description: 'tollgate.yaml names it: changes hold until it is applied.',
  }),
}

/** A group in the list. */
export const GroupItem = Type.Object(common)
export type GroupItem = Static<typeof GroupItem>

/** A group with all that can be edited. */
export const GroupView = Type.Object({
  ...common,
  models: Type.Array(Type.String(), { description: 'Empty: all that its channels offer.' }),
  long_context_pricing: Type.Boolean(),
  limits: LimitsView,
  on_disconnect: OnDisconnect,
  accounts: Accounts,
  tools: Tools,
  regions: Regions,
  offered_models: Type.Array(Type.String(), { description: 'At most the first 1,000.' }),
  models_without_price: Type.Array(Type.String(), { description: 'At most the first 1,000.' }),
  created_at: Type.String(),
  revision: Type.String(),
  warnings: Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
})
export type GroupView = Static<typeof GroupView>

const name = Type.String({ maxLength: 1000 })
const settings = {
  status: Status,
  description: Type.String({ maxLength: 10_000 }),
  platform: Type.String({ maxLength: 200 }),
  rate_multiplier: Type.String({ maxLength: 40 }),
  channels: Type.Array(Type.String(), { maxItems: 1000, description: 'Names, in order.' }),
  models: Type.Array(Type.String(), { maxItems: 20_000 }),
  long_context_pricing: Type.Boolean(),
  limits: LimitsChange,
  on_disconnect: OnDisconnect,
  accounts: Accounts,
  tools: Tools,
  regions: Regions,
}

/** A group to be made; what is left out is as tollgate.yaml has it by default. */
export const NewGroup = Type.Object({ name, ...Type.Partial(Type.Object(settings)).properties })
export type NewGroup = Static<typeof NewGroup>

/** What of a group changes: only what is named. */
export const GroupChange = Type.Object({
  ...Type.Partial(Type.Object({ name, ...settings })).properties,
  revision: Type.Optional(Type.String()),
})
export type GroupChange = Static<typeof GroupChange>

const price = Type.String({ description: 'USD, exact.' })

/** What a model costs now, and what it would. */
export const PriceExample = Type.Object({
  model: Type.String(),
  unit: Type.Union([Type.Literal('tokens'), Type.Literal('call')], {
    description: 'tokens: per 1M input tokens and output tokens; call: per call.',
  }),
  now: Type.Array(price, { description: 'Input and output; or of a call.' }),
  after: Type.Array(price),
})
export type PriceExample = Static<typeof PriceExample>

/** What another multiplier would do to the prices of a group. */
export const MultiplierEffect = Type.Object({
  rate_multiplier: Type.String(),
  changed: Type.Integer({ description: 'How many models would have another price.' }),
  tokens: Type.Integer({ description: 'How many tokens that is about, to 10,000.' }),
  examples: Type.Array(PriceExample, { description: 'At most five.' }),
})
export type MultiplierEffect = Static<typeof MultiplierEffect>
