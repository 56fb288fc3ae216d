import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Guard } from '../access.ts'
import { Answer, Id, PageQuery, success } from '../envelope.ts'
import { LedgerList } from '../ledger/schema.ts'
import type { AccountLists } from './lists.ts'
import { AccountFilter, AccountList, LedgerFilter } from './schema.ts'

const about = (summary: string) => ({ tags: ['Administration'], summary })

/** Lists of accounts for administrators. HTTP only: every decision is the service's. */
export const accountListRoutes = (guard: Guard, accounts: AccountLists) =>
  new Elysia({ name: 'admin.account-lists', prefix: '/api/v1/admin/accounts' })
    .use(guard('admin'))
    .get('', async ({ query }) => success(await accounts.list(query)), {
      query: Type.Composite([PageQuery, AccountFilter]),
      response: { 200: Answer(AccountList) },
      detail: about('Accounts, newest first'),
    })
    .get(
      '/:id/ledger',
      async ({ params, query }) => success(await accounts.ledger(params.id, query)),
      {
        params: Type.Object({ id: Id() }),
        query: Type.Composite([PageQuery, LedgerFilter]),
        response: { 200: Answer(LedgerList) },
        detail: about('The ledger of an account, newest first'),
      },
    )
