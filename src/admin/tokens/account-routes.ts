import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { Answer, Id, success } from '../envelope.ts'
import { IssuedToken, NewToken, TokenDetails, TokenPatch } from './schema.ts'
import type { TokenScope, TokenService } from './service.ts'

const id = Id('Id of the account.')
const ofAccount = Type.Object({ id })
const ofToken = Type.Object({ id, token: Id() })
const tags = ['Administration']

const scope = ({ email }: SignedIn, accountId: number): TokenScope => ({ accountId, actor: email })

/** The tokens of any account, for administrators: all but their keys. */
export const accountTokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({
    name: 'admin.account-tokens',
    prefix: '/api/v1/admin/accounts/:id/tokens',
  })
    .use(guard('admin'))
    .post(
      '',
      async ({ who, params, body }) => success(await tokens.issue(scope(who, params.id), body)),
      {
        params: ofAccount,
        body: NewToken,
        response: { 200: Answer(IssuedToken) },
        detail: { tags, summary: 'Make a token for an account; its key is in the answer' },
      },
    )
    .get(
      '/:token',
      async ({ who, params }) => success(await tokens.find(scope(who, params.id), params.token)),
      {
        params: ofToken,
        response: { 200: Answer(TokenDetails) },
        detail: { tags, summary: 'A token of an account' },
      },
    )
    .patch(
      '/:token',
      async ({ who, params, body }) =>
        success(await tokens.change(scope(who, params.id), params.token, body)),
      {
        params: ofToken,
        body: TokenPatch,
        response: { 200: Answer(TokenDetails) },
        detail: { tags, summary: 'Change what is named of a token of an account' },
      },
    )
    .delete(
      '/:token',
      async ({ who, params }) => {
        await tokens.remove(scope(who, params.id), params.token)
        return success(null)
      },
      {
        params: ofToken,
        response: { 200: Answer(Type.Null()) },
        detail: { tags, summary: 'Remove a token of an account' },
      },
    )
