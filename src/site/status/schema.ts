import { type Static, Type } from '@sinclair/typebox'
import { successful } from '../schemas.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const orNull = (description: string, maximum?: number) =>
  Type.Union([Type.Number({ minimum: 0, ...(maximum && { maximum }) }), Type.Null()], {
    description,
  })

const StatusSpan = Type.Object(
  {
    requests: count("How many there were, but those that failed by their client's own fault."),
    ratio: orNull('The part that succeeded, rounded down; null: there were no requests.', 1),
  },
  { description: 'Whole minutes, hours or days (UTC), the present one included.' },
)

const figures = {
  state: Type.Union(
    (['operational', 'degraded', 'down', 'no_data'] as const).map((word) => Type.Literal(word)),
    {
      description:
        'By the last 5 minutes where they had at least 5 requests, else by the last hour: ' +
        'operational from 95 % of success on, down below 50 %. no_data: there were no requests.',
    },
  ),
  availability: Type.Object({
    '1h': StatusSpan,
    '24h': StatusSpan,
    '7d': StatusSpan,
    '90d': StatusSpan,
  }),
  first_byte_ms: Type.Object(
    {
      p50: orNull('Half of the answers began within this time; null: there were none.'),
      p95: orNull('95 % of them did.'),
    },
    { description: 'Milliseconds to the first byte of streams, in the last 24 hours.' },
  ),
  tokens_per_second: orNull(
    'Output tokens a second of streams, in the last 24 hours; null: there were none.',
  ),
}

const StatusModel = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Model id, exactly as clients send it.' }),
    ...figures,
  },
  { description: 'A model that was asked for in the last 90 days.' },
)

export type StatusModel = Static<typeof StatusModel>

const StatusBar = Type.Object(
  { requests: count('As above.'), failed: count('How many of them failed.') },
  { description: 'One hour or day.' },
)

const StatusGroup = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the group.' }),
    name: Type.String({ minLength: 1, description: 'To be compared byte for byte.' }),
    platform: Type.String({ description: 'Platform word, such as openai; may be empty.' }),
    ...figures,
    hours: Type.Array(StatusBar, {
      minItems: 24,
      maxItems: 24,
      description: 'The last 24 hours, oldest first; the last one is the present hour (UTC).',
    }),
    days: Type.Array(StatusBar, {
      minItems: 90,
      maxItems: 90,
      description: 'The last 90 days, oldest first; the last one is the present day (UTC).',
    }),
    models_total: count('How many models were asked for in the last 90 days.'),
    models: Type.Array(StatusModel, {
      description:
        'Of these, the 50 that were asked for most in the last 24 hours; with ?group= all. ' +
        'Sorted by name.',
    }),
  },
  { description: 'A group that is switched on.' },
)
export type StatusGroup = Static<typeof StatusGroup>

/** How well requests were answered, by group and model. */
export const StatusDocument = successful(
  Type.Object({
    generated_at: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
      description:
        'ISO 8601 time, UTC, at which these figures held. They are computed at most every 5 seconds.',
    }),
    groups: Type.Array(StatusGroup, { description: 'Sorted by name.' }),
  }),
  {
    title: 'Status',
    description:
      'How well requests were answered, as counted by the gateway itself. Requests that failed ' +
      "by their client's own fault do not count. No figure is made up: without requests it is null.",
  },
)
export type StatusDocument = Static<typeof StatusDocument>
