import { type Static, Type } from '@sinclair/typebox'
import { QueryInteger } from '../envelope.ts'
import { oneOf, orNull } from '../shapes.ts'

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description && { description }) })
const usd = (description: string) => Type.String({ description: `${description} USD, exact.` })
const milliseconds = orNull(
  Type.Number({ minimum: 0 }),
  'Mean time to the first byte; null: not known, or nothing began to answer.',
)

const sums = {
  requests: count(),
  failed: orNull(count(), 'Null: not known, for days that a former version has counted.'),
  input_tokens: count('Without those of the cache.'),
  output_tokens: count(),
  reasoning_tokens: count('Part of the output.'),
  cache_read_tokens: count(),
  cache_write_tokens: count('For five minutes and for an hour.'),
  amount: usd('What was charged.'),
}

export const Sums = Type.Object(sums)
export type Sums = Static<typeof Sums>

export const UsageRange = Type.Object({
  today: Type.String({ description: 'The present UTC day: it is not over.' }),
  days: Type.Array(Type.Object({ day: Type.String(), ...sums }), {
    description: 'Whole UTC days without a gap, oldest first; the last one is `today`.',
  }),
  models: Type.Array(
    Type.Object({
      model: Type.String({ description: 'Empty: requests whose model had no price.' }),
      is_other: Type.Boolean({ description: 'All models that have no row of their own.' }),
      ...sums,
      days: Type.Array(Type.Object({ amount: usd(''), first_byte_ms: milliseconds }), {
        description: 'In step with the days of the range.',
      }),
    }),
    { description: 'What cost most first; the others last.' },
  ),
  sum: Sums,
})
export type UsageRange = Static<typeof UsageRange>

export const SplitBy = oneOf(
  ['model', 'token', 'account', 'channel', 'group'],
  'account, channel: for administrators.',
)

const part = {
  id: Type.String({
    description: 'Of the token, account, channel or group; or the model. Empty: none.',
  }),
  name: Type.String(),
  is_other: Type.Boolean({ description: 'All parts that have no row of their own.' }),
  ...sums,
}

export const UsageChart = Type.Object({
  unit: oneOf(['hour', 'day'], 'day: by UTC.'),
  by: SplitBy,
  times: Type.Array(Type.Object({ time: Type.String(), ...sums }), {
    description: 'By their beginnings, without a gap, oldest first; the last one is not over.',
  }),
  parts: Type.Array(
    Type.Object({
      ...part,
      times: Type.Array(
        Type.Object({ amount: usd(''), requests: count(), first_byte_ms: milliseconds }),
        { description: 'In step with `times`.' },
      ),
    }),
    { description: 'What cost most first; the others last.' },
  ),
  list: Type.Array(Type.Object(part), {
    description: 'The same of as many parts as `list` asks for, without times.',
  }),
  others: count('How many parts the others of `parts` are.'),
  sum: Sums,
  complete_since: orNull(
    Type.String(),
    'Adding up took too long: only what came since then is in it.',
  ),
})
export type UsageChart = Static<typeof UsageChart>

export const Overview = Type.Object({
  balance: usd('What is left.'),
  reserved: usd('Reserved for requests under way.'),
  credit_limit: usd('How far below zero the balance may go.'),
  balance_low_below: usd('Below this the balance counts as low.'),
  balance_state: oneOf(['good', 'low', 'used_up']),
  tokens: count('How many there are.'),
  spent_today: usd(''),
  spent_this_month: usd('Since the first of the UTC month.'),
  usage: UsageRange,
})
export type Overview = Static<typeof Overview>

/** What a gateway needs before it can answer, in the best order to create it. */
export const FirstStep = oneOf(['channel', 'group', 'price', 'account', 'token', 'request'])
export type FirstStep = Static<typeof FirstStep>

export const GatewayNow = Type.Object({
  version: Type.String(),
  newer_release: orNull(
    Type.Object({ version: Type.String(), notes_url: orNull(Type.String()) }),
    'Null: none is known, or nothing is looked for (`updates` of the configuration).',
  ),
  started_at: Type.String(),
  requests_under_way: count(),
  streams_under_way: count(),
  memory_bytes: count(),
  database_bytes: orNull(count(), 'Null: it is in memory.'),
  channels: count('Those that are switched on.'),
  groups: count('Those that are switched on.'),
  models: count('Those that a group sells.'),
  cooling: Type.Array(
    Type.Object({
      channel: Type.String(),
      model: orNull(Type.String(), 'Null: all its models.'),
      cause: Type.String(),
      until: Type.String(),
    }),
    { description: 'Parts of channels that cool down.' },
  ),
  attempts: Type.Array(
    Type.Object({ channel: Type.String(), attempts: count(), failed: count() }),
    { description: 'By channel, since the start of the process.' },
  ),
})
export type GatewayNow = Static<typeof GatewayNow>

export const GatewayOverview = Type.Object({
  now: GatewayNow,
  accounts: count('Counted no further than 10,000.'),
  tokens: count('Counted no further than 10,000.'),
  counts_are_exact: Type.Boolean(),
  overdrawn: Type.Object(
    {
      count: count(),
      accounts: Type.Array(
        Type.Object({
          id: Type.Integer(),
          email: Type.String(),
          overdrawn: usd('How far its balance is below its credit limit.'),
          request_id: orNull(Type.String(), 'Whose charge took it there; null: not known.'),
        }),
        { description: 'Those that owe most.' },
      ),
    },
    { description: 'Accounts below their credit limits.' },
  ),
  steps: Type.Array(Type.Object({ step: FirstStep, is_done: Type.Boolean() })),
  spent_today: usd(''),
  spent_this_month: usd('Since the first of the UTC month.'),
  usage: UsageRange,
})
export type GatewayOverview = Static<typeof GatewayOverview>

export const DaysQuery = Type.Object({
  days: Type.Optional(QueryInteger('days', { minimum: 1, maximum: 366 })),
})

const list = Type.Optional(
  QueryInteger('list', {
    minimum: 1,
    maximum: 1000,
    description: 'So many parts, those that cost most, are in `list`: shows what the others are.',
  }),
)
const days = Type.Optional(
  QueryInteger('days', {
    minimum: 1,
    maximum: 366,
    description: '1: the last 24 hours. Left out: 30, or 1 if nothing was asked before today.',
  }),
)
export const OwnChartQuery = Type.Object({
  by: Type.Optional(oneOf(['model', 'token', 'group'])),
  ...{ days, list },
})
export const ChartQuery = Type.Object({ by: Type.Optional(SplitBy), days, list })
export type ChartQuery = Static<typeof ChartQuery>
