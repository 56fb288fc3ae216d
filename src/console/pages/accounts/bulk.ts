import type { AccountItem } from '../../../admin/accounts/schema.ts'
import { api, call, useMe } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import type { Bulk } from '../../parts/bulk.tsx'
import { accountText } from './text.ts'

/** Suspends several accounts at once, or lets them in again. */
export function useAccountBulk(): Bulk<AccountItem> {
  const text = useText(accountText)
  const me = useMe().data
  const to =
    (status: AccountItem['status']) =>
    async ({ id }: AccountItem) => {
      const route = api.admin.accounts({ id })
      const { revision } = await call(route.get())
      await call(route.patch({ revision, status }))
    }
  const back = (account: AccountItem) => to(account.status)(account)
  return {
    nameOf: ({ email }) => email,
    changes: ['accounts', 'account'],
    actions: [
      {
        label: text.resume,
        appliesTo: ({ status }) => status === 'disabled',
        ...{ run: to('active'), undo: back, done: text.resumedMany },
      },
      {
        ...{ label: text.suspend, look: { color: 'red', variant: 'light' } },
        // One's own is refused by the API.
        appliesTo: ({ status, email }) => status === 'active' && email !== me?.email,
        ask: (count, names) => ({
          title: text.suspendMany(count),
          text: text.suspendManyText(names),
        }),
        ...{ run: to('disabled'), undo: back, done: text.suspendedMany },
      },
    ],
  }
}
