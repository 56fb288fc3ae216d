import type { Static } from '@sinclair/typebox'
import type { AccountEdits } from '../../store/ports/edits.ts'
import type { ListStore } from '../../store/ports/lists.ts'
import type { PageQuery } from '../envelope.ts'
import type { LedgerList } from '../ledger/schema.ts'
import { viewEntry } from '../ledger/service.ts'
import { answerPage } from '../paging.ts'
import { findAccount } from './find-account.ts'
import type { AccountFilter, AccountList, LedgerFilter } from './schema.ts'
import { viewAccount } from './view.ts'

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
