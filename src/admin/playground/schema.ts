import { type Static, Type } from '@sinclair/typebox'
import { t } from 'elysia'

/** The protocols that the playground speaks. */
export const PlaygroundParams = Type.Object({
  protocol: Type.Union(
    (['chat', 'responses', 'messages', 'gemini'] as const).map((word) => Type.Literal(word)),
  ),
})
export type PlaygroundParams = Static<typeof PlaygroundParams>

export const PlaygroundQuery = Type.Object({
  token: t.Integer({ minimum: 1, description: "Number of one of the caller's own tokens." }),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Gemini: what its path would name.' }),
  ),
  stream: Type.Optional(Type.Boolean({ description: 'Gemini: whether to stream.' })),
})
export type PlaygroundQuery = Static<typeof PlaygroundQuery>
