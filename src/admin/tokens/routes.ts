import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { Answer, Id, success } from '../envelope.ts'
import { Proof } from '../shapes.ts'
import { IssuedToken, NewToken, RevealedKey, TokenDetails, TokenPatch } from './schema.ts'
import type { TokenScope, TokenService } from './service.ts'

const params = Type.Object({ id: Id() })
const tags = ['Console']

const own = ({ accountId, email }: SignedIn): TokenScope => ({ accountId, actor: email })

/** The tokens of who is signed in. HTTP only: every decision is the service's. */
export const tokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({ name: 'admin.tokens', prefix: '/api/v1/tokens' })
    .use(guard('user'))
    .post('', async ({ who, body }) => success(await tokens.issue(own(who), body)), {
      body: NewToken,
      response: { 200: Answer(IssuedToken) },
      detail: { tags, summary: 'Make a token; its key is in the answer' },
    })
    .get('/:id', async ({ who, params }) => success(await tokens.find(own(who), params.id)), {
      params,
      response: { 200: Answer(TokenDetails) },
      detail: { tags, summary: 'An own token' },
    })
    .patch(
      '/:id',
      async ({ who, params, body }) => success(await tokens.change(own(who), params.id, body)),
      {
        params,
        body: TokenPatch,
        response: { 200: Answer(TokenDetails) },
        detail: { tags, summary: 'Change what is named of an own token' },
      },
    )
    .delete(
      '/:id',
      async ({ who, params }) => {
        await tokens.remove(own(who), params.id)
        return success(null)
      },
      {
        params,
        response: { 200: Answer(Type.Null()) },
        detail: { tags, summary: 'Remove an own token' },
      },
    )
    .post(
      '/:id/restore',
      async ({ who, params }) => success(await tokens.restore(own(who), params.id)),
      {
        params,
        response: { 200: Answer(TokenDetails) },
        detail: { tags, summary: 'Bring back a token that was removed within the last 10 minutes' },
      },
    )
    .post(
      '/:id/reveal',
      async ({ who, params, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return success({ key: await tokens.reveal(who, params.id, body.password) })
      },
      {
        params,
        body: Proof,
        response: { 200: Answer(RevealedKey) },
        detail: {
          tags,
          summary: 'The key of an own token, for who says the password, if there is one',
        },
      },
    )
