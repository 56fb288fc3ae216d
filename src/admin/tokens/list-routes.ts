import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, Id, success } from '../envelope.ts'
import type { TokenLists } from './lists.ts'
import { TokenList, TokenQuery } from './schema.ts'

/** The list of tokens of who is signed in. */
export const tokenListRoutes = (guard: Guard, tokens: TokenLists) =>
  new Elysia({ name: 'admin.token-lists', prefix: '/api/v1/tokens' })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await tokens.list(who.accountId, query)), {
      query: TokenQuery,
      response: { 200: Answer(TokenList) },
      detail: { tags: ['Console'], summary: 'Own tokens, newest first' },
    })

/** That of any account, for administrators. */
export const accountTokenListRoutes = (guard: Guard, tokens: TokenLists) =>
  new Elysia({
    name: 'admin.account-token-lists',
    prefix: '/api/v1/admin/accounts/:id/tokens',
  })
    .use(guard('admin'))
    .get('', async ({ params, query }) => success(await tokens.list(params.id, query)), {
      params: Type.Object({ id: Id('Id of the account.') }),
      query: TokenQuery,
      response: { 200: Answer(TokenList) },
      detail: { tags: ['Administration'], summary: 'Tokens of an account' },
    })
