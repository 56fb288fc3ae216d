import type { Static } from '@sinclair/typebox'
import { formatNano, overdrawnNano } from '../../billing/money.ts'
import { isoTime } from '../../lib/format.ts'
import { accountFields } from '../../resources/account.ts'
import { toView } from '../../resources/resource.ts'
import type { AccountView } from '../../store/ports/admin.ts'
import type { AccountEdits, EditableAccount } from '../../store/ports/edits.ts'
import type { ListStore, NamedPageAsked, PageAsked } from '../../store/ports/lists.ts'
import { ApiError } from '../api-error.ts'
import type { PageQuery } from '../envelope.ts'
import { viewEntry } from '../ledger/routes.ts'
import { answerPage, named } from '../paging.ts'
import type { AccountFilter, AccountItem, LedgerFilter } from './schema.ts'

/** An account by its id; throws an `ApiError` when it is not there. */
export async function findAccount(
  edits: Pick<AccountEdits, 'findAccount'>,
  id: number,
): Promise<EditableAccount> {
  const found = await edits.findAccount(id)
  if (found) return found
  throw new ApiError('not_found', `There is no account ${id}; it may be removed.`)
}

/** In USD; null: not overdrawn. */
function viewOverdraft(account: Parameters<typeof overdrawnNano>[0]): string | null {
  const nano = overdrawnNano(account)
  return nano === 0 ? null : formatNano(nano)
}

export const viewAccount = (account: Omit<AccountView, 'passwordMark'>): AccountItem => ({
  id: account.id,
  email: account.email,
  is_vouched: account.isVouched,
  ...toView(accountFields, account),
  balance: formatNano(account.balanceNano),
  reserved: formatNano(account.reservedNano),
  overdrawn: viewOverdraft(account),
  tokens: account.tokenCount,
  created_at: isoTime(account.createdAt),
})

export type AccountLists = ReturnType<typeof createAccountLists>

/** Accounts and their ledgers, page by page. Refusals are thrown as `ApiError`. */
export function createAccountLists({
  lists,
  edits,
}: {
  readonly lists: Pick<ListStore, 'accounts' | 'ledger'>
  readonly edits: Pick<AccountEdits, 'findAccount'>
}) {
  return {
    list: ({ search, role, status, balance, ...page }: PageQuery & AccountFilter) => {
      const filter = named({ search: search || undefined, role, status })
      const read = (asked: NamedPageAsked) =>
        lists.accounts({ ...filter, isOverdrawn: balance === 'overdrawn' }, asked)
      return answerPage(page, read, viewAccount)
    },
    async ledger(id: number, { kind, ...page }: PageQuery & Static<typeof LedgerFilter>) {
      await findAccount(edits, id)
      const kinds = kind === 'by_hand' ? { kinds: ['opening', 'credit', 'debit'] as const } : {}
      const read = (asked: PageAsked) => lists.ledger({ accountId: id, ...kinds }, asked)
      return answerPage(page, read, viewEntry)
    },
  }
}
