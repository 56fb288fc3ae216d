import { type Static, Type } from '@sinclair/typebox'
import { channelFields } from '../../resources/channel.ts'
import { patchProperties, viewProperties } from '../../resources/resource.ts'
import { ListOf, PageQuery } from '../envelope.ts'
import { Named, oneOf, orNull, Remarks, SortBy } from '../shapes.ts'

const Status = oneOf(
  ['active', 'draining', 'disabled'],
  'draining: what has begun there goes on there, nothing new is sent to it.',
)

/** A part of a channel that cools down. */
export const CoolingPart = Type.Object({
  key_hint: orNull(Type.String({ description: 'The one key that is meant; null: all.' })),
  model: orNull(Type.String({ description: 'As the upstream calls it; null: all.' })),
  cause: Type.String({ description: 'Machine word of what has happened.' }),
  since: Type.String(),
  until: Type.String(),
  rounds: Type.Integer({ description: 'How many times in a row.' }),
})
export type CoolingPart = Static<typeof CoolingPart>

export const ChannelState = Type.Object({
  word: oneOf(
    ['works', 'unused', 'partly', 'cooling', 'draining', 'disabled'],
    'partly: some of its keys or models cool; unused: in no group.',
  ),
  until: orNull(Type.String({ description: 'Of a channel that cools: when it is tried again.' })),
  cause: orNull(Type.String()),
  keys: Type.Integer(),
  keys_cooling: Type.Integer({ description: 'Those that cool for every model.' }),
  parts: Type.Array(CoolingPart),
})
export type ChannelState = Static<typeof ChannelState>

/** A key of a channel, redacted. */
const ChannelKey = Type.Object({
  mark: Type.String({ description: 'Names the key, such as for remove_keys.' }),
  hint: Type.String({ description: 'Its ends.' }),
})

/** Attempts of the last hour, at most since the process started. */
const Recent = Type.Object({ attempts: Type.Integer(), failed: Type.Integer() })

const { models, timeouts, probe, ...fields } = viewProperties(channelFields)

const common = {
  id: Type.Integer(),
  name: Type.String(),
  status: Status,
  state: ChannelState,
  ...fields,
  proxy: orNull(Type.String({ description: 'Its address without user and password.' })),
  keys: Type.Array(ChannelKey),
  groups: Type.Array(Named),
  recent: Recent,
  in_file: Type.Boolean({
    description: 'tollgate.yaml names it: a change holds until it is applied.',
  }),
}

export const ChannelItem = Type.Object({
  ...common,
  models: Type.Array(models.items, { description: 'At most the first 20.' }),
  model_count: Type.Integer(),
})
export type ChannelItem = Static<typeof ChannelItem>

export const ChannelList = Type.Composite([
  ListOf(ChannelItem),
  Type.Object({
    hosts: Type.Array(Type.String(), { description: 'Of the addresses of all channels.' }),
  }),
])

const filter = (description: string) => Type.Optional(Type.String({ maxLength: 300, description }))

/** Filters, combined by AND. */
export const ChannelQuery = Type.Composite([
  PageQuery,
  Type.Object({
    search: filter('Part of the name, of an address, a model or a group, in any case.'),
    state: Type.Optional(
      Type.Union([ChannelState.properties.word, Type.Literal('failing')], {
        description: 'failing: it works, but all attempts of the last hour failed.',
      }),
    ),
    protocol: filter('It speaks this one.'),
    host: filter('One of its addresses is at this host.'),
    group: filter('A group of this name has it.'),
    model: filter('It offers this model, as clients or its upstream name it.'),
    sort: SortBy(
      ['name', 'status', 'models', 'priority', 'failed'],
      'in the order in which they were made',
    ),
  }),
])
export type ChannelQuery = Static<typeof ChannelQuery>

export const Channel = Type.Object({
  ...common,
  ...{ models, timeouts, probe },
  created_at: Type.String(),
  revision: Type.String(),
  warnings: Remarks,
})
export type Channel = Static<typeof Channel>

const key = Type.String({ maxLength: 10_000 })
const keys = (description: string) => Type.Array(key, { maxItems: 1000, description })

const patch = patchProperties(channelFields)
const secrets = {
  proxy: Type.Optional(
    orNull(
      Type.String({ maxLength: 2000 }),
      'Write-only: http:// or https://, with a password if it asks for one; null: none.',
    ),
  ),
  api_keys: keys('Write-only: all its keys, instead of those it has.'),
}
const name = Type.String({ maxLength: 1000 })

/** A new channel; what is left out has the defaults of tollgate.yaml. */
export const NewChannel = Type.Object({
  ...{ name, status: Type.Optional(Status), ...patch, ...secrets },
  ...{ speaks: channelFields.speaks.patch, models: channelFields.models.patch },
})
export type NewChannel = Static<typeof NewChannel>

export const ChannelChange = Type.Object({
  ...Type.Partial(Type.Object({ name, status: Status, ...secrets })).properties,
  ...patch,
  add_keys: Type.Optional(keys('Write-only: keys beside those it has.')),
  remove_keys: Type.Optional(
    Type.Array(Type.String(), { description: 'Marks of keys that it is to have no more.' }),
  ),
  revision: Type.Optional(Type.String()),
})
export type ChannelChange = Static<typeof ChannelChange>

/** A test call to an upstream. */
export const TestAsked = Type.Object({
  model: Type.Optional(Type.String({ description: 'As clients name it; left out: the first.' })),
  protocol: Type.Optional(Type.String({ description: 'Left out: the one that carries most.' })),
  key: Type.Optional(Type.String({ description: 'Mark of the key; left out: the first.' })),
})
export type TestAsked = Static<typeof TestAsked>

export const NewChannelTest = Type.Object({
  channel: NewChannel,
  model: TestAsked.properties.model,
  protocol: TestAsked.properties.protocol,
})
export type NewChannelTest = Static<typeof NewChannelTest>

export const Tested = Type.Object({
  ok: Type.Boolean(),
  protocol: Type.String(),
  model: Type.String({ description: 'As the upstream calls it.' }),
  status: orNull(Type.Integer(), 'HTTP status; null: none.'),
  failure: orNull(Type.String({ description: 'Machine word; null: it answered.' })),
  why: orNull(Type.String({ description: 'What has happened, as a sentence.' })),
  error: orNull(Type.String({ description: "The upstream's own words, without keys." })),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: Type.Integer(),
})
export type Tested = Static<typeof Tested>

/** Where a list of models is asked for: a channel that is not made yet. */
export const ModelsAsked = Type.Object({
  channel: Type.Pick(NewChannel, ['speaks', 'api_keys', 'allow_private', 'proxy']),
})
export type ModelsAsked = Static<typeof ModelsAsked>

export const ModelsListed = Type.Object({
  ...Type.Pick(Tested, ['ok', 'protocol', 'status', 'failure', 'why', 'error']).properties,
  models: Type.Array(
    Type.Object({
      id: Type.String(),
      price: orNull(
        Type.Object({
          input: Type.String({ description: 'USD per 1M tokens.' }),
          output: Type.String(),
          source: oneOf(['vendor', 'upstream'], "vendor: the vendor's list; upstream: it says so."),
        }),
        'Null: not known.',
      ),
    }),
    { description: 'As the upstream lists them.' },
  ),
})
export type ModelsListed = Static<typeof ModelsListed>
