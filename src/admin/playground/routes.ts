import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { QueryInteger } from '../envelope.ts'
import { readJsonBytes } from '../read-json.ts'
import { oneOf } from '../shapes.ts'

const PlaygroundParams = Type.Object({
  protocol: oneOf(['chat', 'responses', 'messages', 'gemini']),
})
type PlaygroundParams = Static<typeof PlaygroundParams>

/** `token`: the id of one of the caller's tokens. */
const PlaygroundQuery = Type.Object({
  token: QueryInteger('token', { minimum: 1 }),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'Gemini: what its path would name.' }),
  ),
  stream: Type.Optional(Type.Boolean({ description: 'Gemini: whether to stream.' })),
})
type PlaygroundQuery = Static<typeof PlaygroundQuery>

/** A model call from the console. */
export interface PlaygroundCall extends PlaygroundParams, PlaygroundQuery {
  readonly who: SignedIn
  /** The console's request that carries it. */
  readonly request: Request
  /** JSON of the protocol, forwarded unchanged. */
  readonly body: Uint8Array<ArrayBuffer>
}

export interface Playground {
  /** The gateway's response; throws if the token is not the caller's. */
  ask(call: PlaygroundCall): Promise<Response>
}

/**
 * Calls a model with one of the caller's tokens; its key stays on the server. The response is the gateway's
 * own; only refusals of the console (session, token, JSON, size) have the console's shape.
 */
export const playgroundRoutes = (guard: Guard, playground: Playground) =>
  new Elysia({ name: 'admin.playground', prefix: '/api/v1/playground' })
    .use(guard('user', 'unread'))
    .post(
      '/:protocol',
      async ({ who, request, params, query }) => {
        if (params.protocol === 'gemini' && query.model === undefined) {
          throw new ApiError('invalid_value', 'model: is missing; its path names it.', {
            field: 'model',
          })
        }
        const body = await readJsonBytes(request)
        return playground.ask({ ...params, ...query, who, request, body })
      },
      {
        params: PlaygroundParams,
        query: PlaygroundQuery,
        detail: { tags: ['Console'], summary: 'Ask a model with one of your tokens' },
      },
    )
