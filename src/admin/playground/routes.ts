import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { readJsonBytes } from '../read-json.ts'
import { PlaygroundParams, PlaygroundQuery } from './schema.ts'

/** What somebody asks a model in the console. */
export interface PlaygroundCall extends PlaygroundParams, PlaygroundQuery {
  readonly who: SignedIn
  /** The request of the console that it came with. */
  readonly request: Request
  /** JSON in the shape of the protocol; goes on as it is. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Models, asked from the console. */
export interface Playground {
  /** The gateway's own answer; throws when the token is not the caller's. */
  ask(call: PlaygroundCall): Promise<Response>
}

/**
 * Asks a model with one of the caller's tokens, whose key stays here. The answer is what a client
 * would get, refusals of the gateway in the protocol's shape; only those of the console itself (no
 * session, another's token, no JSON, more than 1 MiB) have the console's.
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
