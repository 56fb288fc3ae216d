import { type Static, Type } from '@sinclair/typebox'
import { QueryInteger } from '../envelope.ts'
import { oneOf } from '../shapes.ts'

export const PlaygroundParams = Type.Object({
  protocol: oneOf(['chat', 'responses', 'messages', 'gemini']),
})
export type PlaygroundParams = Static<typeof PlaygroundParams>

/** `token`: the id of one of the caller's tokens. */
export const PlaygroundQuery = Type.Object({
  token: QueryInteger('token', { minimum: 1 }),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Gemini: what its path would name.' }),
  ),
  stream: Type.Optional(Type.Boolean({ description: 'Gemini: whether to stream.' })),
})
export type PlaygroundQuery = Static<typeof PlaygroundQuery>
