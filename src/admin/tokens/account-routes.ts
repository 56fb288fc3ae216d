import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { Answer, success } from '../envelope.ts'
import { IssuedToken, NewToken, TokenDetails, TokenList, TokenPatch, TokenQuery } from './schema.ts'
import type { TokenScope, TokenService } from './service.ts'

const id = t.Integer({ minimum: 1, description: 'Id of the account.' })
const ofAccount = Type.Object({ id })
const ofToken = Type.Object({ id, token: t.Integer({ minimum: 1 }) })
const tags = ['Administration']

const scope = ({ email }: SignedIn, accountId: number): TokenScope => ({ accountId, actor: email })

/** The tokens of any account, for administrators: all but their keys. */
export const accountTokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({
    name: 'admin.account-tokens',
    prefix: '/api/v1/admin/accounts/:id/tokens',
  })
    .use(guard('admin'))
    .get(
      '',
      async ({ who, params, query }) => success(await tokens.list(scope(who, params.id), query)),
      {
        params: ofAccount,
        query: TokenQuery,
        response: { 200: Answer(TokenList) },
        detail: { tags, summary: 'Tokens of an account' },
      },
    )
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
