import { type Static, Type } from '@sinclair/typebox'
import { PageQuery, SearchedListOf } from '../envelope.ts'
import { Outcome, orNull } from '../shapes.ts'

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

export const AttemptsQuery = Type.Composite([
  Type.Object({
    channel: name('Name of the channel.'),
    outcome: Type.Optional(Outcome),
    cause: name('Machine word, such as connect_failed.'),
    since: name('From this time on, ISO 8601.'),
  }),
  PageQuery,
])
export type AttemptsQuery = Static<typeof AttemptsQuery>

export const AttemptItem = Type.Object({
  request_id: Type.String(),
  position: Type.Integer({ description: 'Place among the attempts of its request, from 0.' }),
  started_at: Type.String(),
  account: Type.String(),
  model: orNull(Type.String()),
  channel: Type.String(),
  status: orNull(Type.Integer({ description: 'Of the upstream; null: it gave none.' })),
  cause: orNull(Type.String({ description: 'Machine word; null: it succeeded.' })),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: Type.Integer(),
  upstream_request_id: orNull(Type.String()),
})

export const AttemptList = SearchedListOf(AttemptItem)
