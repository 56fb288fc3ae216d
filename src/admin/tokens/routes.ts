import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard, SignedIn } from '../access.ts'
import { forAdmins, forUsers, Id, success } from '../envelope.ts'
import { Proof } from '../shapes.ts'
import type { TokenLists } from './lists.ts'
import * as shapes from './schema.ts'
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
      query: shapes.TokenQuery,
      ...forUsers(shapes.TokenList, 'Own tokens, newest first'),
    })

/** The list of any account's tokens, for administrators. */
export const accountTokenListRoutes = (guard: Guard, tokens: TokenLists) =>
  new Elysia({ name: 'admin.account-token-lists', prefix: accountPrefix })
    .use(guard('admin'))
    .get('', async ({ params, query }) => success(await tokens.list(params.id, query)), {
      ...{ ...ofAccount, query: shapes.TokenQuery },
      ...forAdmins(shapes.TokenList, 'Tokens of an account'),
    })

/** The user's own tokens. */
export const tokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({ name: 'admin.tokens', prefix: ownPrefix })
    .use(guard('user'))
    .post('', async ({ who, body }) => success(await tokens.issue(mine(who), body)), {
      body: shapes.NewToken,
      ...forUsers(shapes.IssuedToken, 'Make a token; its key is in the answer'),
    })
    .get('/:id', async ({ who, params }) => success(await tokens.find(mine(who), params.id)), {
      ...ofOwn,
      ...forUsers(shapes.TokenDetails, 'An own token'),
    })
    .patch(
      '/:id',
      async ({ who, params, body }) => success(await tokens.change(mine(who), params.id, body)),
      forUsers(shapes.TokenDetails, 'Change what is named of an own token', {
        ...ofOwn,
        body: shapes.TokenPatch,
      }),
    )
    .delete('/:id', async ({ who, params }) => success(await tokens.remove(mine(who), params.id)), {
      ...ofOwn,
      ...forUsers(Type.Null(), 'Remove an own token'),
    })
    .post(
      '/:id/restore',
      async ({ who, params }) => success(await tokens.restore(mine(who), params.id)),
      forUsers(
        shapes.TokenDetails,
        'Restore a token that was removed within the last 10 minutes',
        ofOwn,
      ),
    )
    .post(
      '/:id/reveal',
      async ({ who, params, body, set }) => {
        set.headers['cache-control'] = 'no-store'
        return success({ key: await tokens.reveal(who, params.id, body.password) })
      },
      forUsers(shapes.RevealedKey, 'The key of an own token; needs the password, if there is one', {
        ...ofOwn,
        body: Proof,
      }),
    )

/** Tokens of any account, for administrators, without their keys. */
export const accountTokenRoutes = (guard: Guard, tokens: TokenService) =>
  new Elysia({ name: 'admin.account-tokens', prefix: accountPrefix })
    .use(guard('admin'))
    .post(
      '',
      async ({ who, params, body }) => success(await tokens.issue(scope(who, params.id), body)),
      forAdmins(shapes.IssuedToken, 'Make a token for an account; its key is in the answer', {
        ...ofAccount,
        body: shapes.NewToken,
      }),
    )
    .get(
      '/:token',
      async ({ who, params }) => success(await tokens.find(scope(who, params.id), params.token)),
      forAdmins(shapes.TokenDetails, 'A token of an account', ofToken),
    )
    .patch(
      '/:token',
      async ({ who, params, body }) =>
        success(await tokens.change(scope(who, params.id), params.token, body)),
      forAdmins(shapes.TokenDetails, 'Change what is named of a token of an account', {
        ...ofToken,
        body: shapes.TokenPatch,
      }),
    )
    .delete(
      '/:token',
      async ({ who, params }) => success(await tokens.remove(scope(who, params.id), params.token)),
      forAdmins(Type.Null(), 'Remove a token of an account', ofToken),
    )
