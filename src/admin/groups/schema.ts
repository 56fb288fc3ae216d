import { type Static, Type } from '@sinclair/typebox'
import { groupFields } from '../../resources/group.ts'
import { patchProperties, viewProperties } from '../../resources/resource.ts'
import { PageQuery } from '../envelope.ts'
import { Named, oneOf, Remarks, SortBy } from '../shapes.ts'

const { channels: _, ...fields } = viewProperties(groupFields)
const { status, description, platform, rate_multiplier, ...details } = fields

const common = {
  id: Type.Integer(),
  name: Type.String(),
  ...{ status, description, platform, rate_multiplier },
  channels: Type.Array(Named),
  tokens: Type.Integer({ description: 'Counted no further than 10,000.' }),
  tokens_is_exact: Type.Boolean(),
  offers: Type.Integer({ description: 'How many models can be called now.' }),
  without_price: Type.Integer({ description: 'How many can not, for want of a price.' }),
  in_file: Type.Boolean({
    description: 'tollgate.yaml names it: changes hold until it is applied.',
  }),
}

export const GroupQuery = Type.Composite([
  PageQuery,
  Type.Object({
    sort: SortBy(
      ['name', 'status', 'rate_multiplier', 'offers', 'tokens'],
      'in the order in which they were made',
    ),
  }),
])
export type GroupQuery = Static<typeof GroupQuery>

export const GroupItem = Type.Object(common)
export type GroupItem = Static<typeof GroupItem>

export const GroupView = Type.Object({
  ...common,
  ...details,
  offered_models: Type.Array(Type.String(), { description: 'At most the first 1,000.' }),
  models_without_price: Type.Array(Type.String(), { description: 'At most the first 1,000.' }),
  created_at: Type.String(),
  revision: Type.String(),
  warnings: Remarks,
})
export type GroupView = Static<typeof GroupView>

const name = Type.String({ maxLength: 1000 })

/** A new group; what is left out has the defaults of tollgate.yaml. */
export const NewGroup = Type.Object({ name, ...patchProperties(groupFields) })
export type NewGroup = Static<typeof NewGroup>

export const GroupChange = Type.Object({
  name: Type.Optional(name),
  ...patchProperties(groupFields),
  revision: Type.Optional(Type.String()),
})
export type GroupChange = Static<typeof GroupChange>

const price = Type.String({ description: 'USD, exact.' })

export const PriceExample = Type.Object({
  model: Type.String(),
  unit: oneOf(['tokens', 'call'], 'tokens: per 1M input tokens and output tokens; call: per call.'),
  now: Type.Array(price, { description: 'Input and output; or of a call.' }),
  after: Type.Array(price),
})
export type PriceExample = Static<typeof PriceExample>

export const MultiplierEffect = Type.Object({
  rate_multiplier: Type.String(),
  changed: Type.Integer({ description: 'How many models would have another price.' }),
  tokens: Type.Integer({ description: 'How many tokens that is about, to 10,000.' }),
  examples: Type.Array(PriceExample, { description: 'At most five.' }),
})
export type MultiplierEffect = Static<typeof MultiplierEffect>
