import type { Static } from '@sinclair/typebox'
import { formatNano, overdrawnNano } from '../../billing/money.ts'
import { isoTime } from '../../lib/format.ts'
import { accountFields } from '../../resources/account.ts'
import { toView } from '../../resources/resource.ts'
import type { AccountView } from '../../store/ports/admin.ts'
import type { AccountEdits, EditableAccount } from '../../store/ports/edits.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import { ApiError } from '../api-error.ts'
import type { PageQuery } from '../envelope.ts'
import { viewEntry } from '../ledger/routes.ts'
import type { LedgerList } from '../ledger/schema.ts'
import { answerPage } from '../paging.ts'
import type { AccountFilter, AccountItem, AccountList, LedgerFilter } from './schema.ts'

/** An account by its id; throws an `ApiError` when it is not there. */
export async function findAccount(
  edits: Pick<AccountEdits, 'findAccount'>,
  id: number,
): Promise<EditableAccount> {
  const found = await edits.findAccount(id)
  if (found) return found
  throw new ApiError('not_found', `There is no account ${id}; it may be removed.`)
}

/** In USD; null: it is not overdrawn. */
function viewOverdraft(account: Parameters<typeof overdrawnNano>[0]): string | null {
  const nano = overdrawnNano(account)
  return nano === 0 ? null : formatNano(nano)
}

/** An account as lists show it. */
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

interface AccountListParts {
  readonly lists: Pick<ListStore, 'accounts' | 'ledger'>
  readonly edits: Pick<AccountEdits, 'findAccount'>
}

/** Accounts, and what changed the balance of one, page by page. Refusals are thrown as `ApiError`. */
export interface AccountLists {
  list(query: PageQuery & AccountFilter): Promise<Static<typeof AccountList>>
  ledger(id: number, query: PageQuery & Static<typeof LedgerFilter>): Promise<LedgerList>
}

export function createAccountLists({ lists, edits }: AccountListParts): AccountLists {
  return {
    list: ({ search, role, status, balance, ...page }) =>
      answerPage(
        page,
        (asked) =>
          lists.accounts(
            {
              ...{ ...(search && { search }), ...(role && { role }), ...(status && { status }) },
              isOverdrawn: balance === 'overdrawn',
            },
            asked,
          ),
        viewAccount,
      ),
    async ledger(id, { kind, ...page }) {
      await findAccount(edits, id)
      const kinds = kind === 'by_hand' ? { kinds: ['opening', 'credit', 'debit'] as const } : {}
      return answerPage(
        page,
        (asked) => lists.ledger({ accountId: id, ...kinds }, asked),
        viewEntry,
      )
    },
  }
}
