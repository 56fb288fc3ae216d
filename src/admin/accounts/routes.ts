import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { forAdmins, Id, PageQuery, success } from '../envelope.ts'
import { LedgerList } from '../ledger/routes.ts'
import { Proof } from '../shapes.ts'
import type { AccountLists } from './lists.ts'
import type { AccountRecovery } from './recovery.ts'
import * as shapes from './schema.ts'
import type { AccountService } from './service.ts'

const params = Type.Object({ id: Id() })
const headers = Type.Object({ 'idempotency-key': Type.Optional(Type.String({ maxLength: 200 })) })

const adjustment = (summary: string) =>
  forAdmins(shapes.AdjustmentDone, summary, { params, headers, body: shapes.AdjustmentOrder })

/** Accounts, for administrators. */
export const accountRoutes = (guard: Guard, accounts: AccountService) =>
  new Elysia({ name: 'admin.accounts', prefix: '/api/v1/admin/accounts' })
    .use(guard('admin'))
    .post('', async ({ who, body }) => success(await accounts.create(who, body)), {
      body: shapes.NewAccount,
      ...forAdmins(shapes.AccountDetail, 'Make an account'),
    })
    .get('/:id', async ({ who, params }) => success(await accounts.get(who, params.id)), {
      params,
      ...forAdmins(shapes.AccountDetail, 'An account'),
    })
    .patch(
      '/:id',
      async ({ who, params, body }) => success(await accounts.change(who, params.id, body)),
      forAdmins(shapes.AccountDetail, 'Change an account', { params, body: shapes.AccountPatch }),
    )
    .delete(
      '/:id',
      async ({ who, params, body }) => {
        await accounts.remove(who, params.id, body)
        return success(null)
      },
      forAdmins(Type.Null(), 'Remove an account with its tokens; its records stay', {
        params,
        body: shapes.AccountRemoval,
      }),
    )
    .post(
      '/:id/credit',
      async ({ who, params, body, headers }) =>
        success(await accounts.adjust(who, params.id, 'credit', withKey(body, headers))),
      adjustment('Add to the balance of an account'),
    )
    .post(
      '/:id/debit',
      async ({ who, params, body, headers }) =>
        success(await accounts.adjust(who, params.id, 'debit', withKey(body, headers))),
      adjustment('Take from the balance of an account'),
    )

/** Ways into an account, for its owner who has lost them; for administrators. */
export const accountRecoveryRoutes = (guard: Guard, recovery: AccountRecovery) =>
  new Elysia({ name: 'admin.account-recovery', prefix: '/api/v1/admin/accounts' })
    .use(guard('admin'))
    .get(
      '/:id/sign-in',
      async ({ params }) => success(await recovery.waysIn(params.id)),
      forAdmins(shapes.WaysIn, 'What an account can sign in with', { params }),
    )
    .post(
      '/:id/password',
      async ({ who, params, body }) => success(await recovery.setPassword(who, params.id, body)),
      forAdmins(
        shapes.WaysIn,
        'Set a password of another account; needs one’s own. Ends its sessions, removes its passkeys and linked providers',
        { params, body: shapes.NewPassword },
      ),
    )
    .delete(
      '/:id/two-factor',
      async ({ who, params, body }) =>
        success(await recovery.removeSecondFactor(who, params.id, body.password)),
      forAdmins(
        shapes.WaysIn,
        'Remove the second factor of another account; needs one’s own password. Ends its sessions',
        { params, body: Proof },
      ),
    )

/** The key in the body takes precedence over the header. */
const withKey = (order: shapes.AdjustmentOrder, given: Static<typeof headers>) => {
  const key = order.idempotency_key ?? given['idempotency-key']
  return key === undefined ? order : { ...order, idempotency_key: key }
}

/** Lists of accounts, for administrators. */
export const accountListRoutes = (guard: Guard, accounts: AccountLists) =>
  new Elysia({ name: 'admin.account-lists', prefix: '/api/v1/admin/accounts' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await accounts.list(query)), {
      query: Type.Composite([PageQuery, shapes.AccountFilter]),
      ...forAdmins(shapes.AccountList, 'Accounts, newest first'),
    })
    .get(
      '/:id/ledger',
      async ({ params, query }) => success(await accounts.ledger(params.id, query)),
      forAdmins(LedgerList, 'The ledger of an account, newest first', {
        params,
        query: Type.Composite([PageQuery, shapes.LedgerFilter]),
      }),
    )
