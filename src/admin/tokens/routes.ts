import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, forUsers, Id, success } from '../envelope.ts'
import { Proof } from '../shapes.ts'
import type { TokenLists } from './lists.ts'
import {
  IssuedToken,
  NewToken,
  RevealedKey,
  TokenDetails,
  TokenList,
  TokenPatch,
  TokenQuery,
} from './schema.ts'
import type { TokenScope, TokenService } from './service.ts'

const ownPrefix = '/api/v1/tokens'
const accountPrefix = '/api/v1/admin/accounts/:id/tokens'

const id = Id('Id of the account.')
const ofAccount = { params: Type.Object({ id }) }
const ofToken = { params: Type.Object({ id, token: Id() }) }
const ofOwn = { params: Type.Object({ id: Id() }) }

const mine = ({ accountId, email }: SignedIn): TokenScope => ({ accountId, actor: email })
const scope = ({ email }: SignedIn, accountId: number): TokenScope => ({ accountId, actor: email })

/** The list of the user's own tokens. */
export const tokenListRoutes = (guard: Guard, tokens: TokenLists) =>
  new Elysia({ name: 'admin.token-lists', prefix: ownPrefix })
    .use(guard('user'))
    .get('', async ({ who, query }) => success(await tokens.list(who.accountId, query)), {
      query: TokenQuery,
      ...forUsers(TokenList, 'Own tokens, newest first'),
    })

/** The list of any account's tokens, for administrators. */
export const accountTokenListRoutes = (guard: Guard, tokens: TokenLists) =>
  new Elysia({ name: 'admin.account-token-lists', prefix: accountPrefix })
    .use(guard('admin'))
    .get('', async ({ params, query }) => success(await tokens.list(params.id, query)), {
      ...{ ...ofAccount, query: TokenQuery },
      ...forAdmins(TokenList, 'Tokens of an account'),
    })

/** The user's own tokens. */
export const tokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({ name: 'admin.tokens', prefix: ownPrefix })
    .use(guard('user'))
    .post('', async ({ who, body }) => success(await tokens.issue(mine(who), body)), {
      body: NewToken,
      ...forUsers(IssuedToken, 'Make a token; its key is in the answer'),
    })
    .get('/:id', async ({ who, params }) => success(await tokens.find(mine(who), params.id)), {
      ...ofOwn,
      ...forUsers(TokenDetails, 'An own token'),
    })
    .patch(
      '/:id',
      async ({ who, params, body }) => success(await tokens.change(mine(who), params.id, body)),
      {
        ...{ ...ofOwn, body: TokenPatch },
        ...forUsers(TokenDetails, 'Change what is named of an own token'),
      },
    )
    .delete('/:id', async ({ who, params }) => success(await tokens.remove(mine(who), params.id)), {
      ...ofOwn,
      ...forUsers(Type.Null(), 'Remove an own token'),
    })
    .post(
      '/:id/restore',
      async ({ who, params }) => success(await tokens.restore(mine(who), params.id)),
      {
        ...ofOwn,
        ...forUsers(TokenDetails, 'Restore a token that was removed within the last 10 minutes'),
      },
    )
    .post(
      '/:id/reveal',
      async ({ who, params, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return success({ key: await tokens.reveal(who, params.id, body.password) })
      },
      {
        ...{ ...ofOwn, body: Proof },
        ...forUsers(RevealedKey, 'The key of an own token; needs the password, if there is one'),
      },
    )

/** Tokens of any account, for administrators, without their keys. */
export const accountTokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({ name: 'admin.account-tokens', prefix: accountPrefix })
    .use(guard('admin'))
    .post(
      '',
      async ({ who, params, body }) => success(await tokens.issue(scope(who, params.id), body)),
      {
        ...{ ...ofAccount, body: NewToken },
        ...forAdmins(IssuedToken, 'Make a token for an account; its key is in the answer'),
      },
    )
    .get(
      '/:token',
      async ({ who, params }) => success(await tokens.find(scope(who, params.id), params.token)),
      { ...ofToken, ...forAdmins(TokenDetails, 'A token of an account') },
    )
    .patch(
      '/:token',
      async ({ who, params, body }) =>
        success(await tokens.change(scope(who, params.id), params.token, body)),
      {
        ...{ ...ofToken, body: TokenPatch },
        ...forAdmins(TokenDetails, 'Change what is named of a token of an account'),
      },
    )
    .delete(
      '/:token',
      async ({ who, params }) => success(await tokens.remove(scope(who, params.id), params.token)),
      { ...ofToken, ...forAdmins(Type.Null(), 'Remove a token of an account') },
    )
