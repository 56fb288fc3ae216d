import { formatNano } from '../../billing/money.ts'
import { isoTime } from '../../lib/format.ts'
import { toView } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import type { EditableToken } from '../../store/ports/edits.ts'
import type { ListedToken as ListedRow, ListStore } from '../../store/ports/lists.ts'
import { answerPage, named } from '../paging.ts'
import type { ListedToken, TokenDetails, TokenList, TokenQuery } from './schema.ts'

const viewToken = (token: ListedRow | EditableToken): ListedToken => ({
  id: token.id,
  key_hint: token.keyHint,
  ...toView(tokenFields, token),
  spent: {
    total: formatNano(token.spent.totalNano),
    day: formatNano(token.spent.dayNano),
    month: formatNano(token.spent.monthNano),
  },
  last_used_day: token.lastUsedDay,
  created_at: isoTime(token.createdAt),
})

/** A token with what a change needs. */
export const viewDetails = (token: EditableToken, isInFile: boolean): TokenDetails => ({
  ...viewToken(token),
  revision: token.revision,
  in_file: isInFile,
})

export type TokenLists = ReturnType<typeof createTokenLists>

/** The tokens of one account, in pages. */
export const createTokenLists = (lists: Pick<ListStore, 'tokens'>) => ({
  list: (accountId: number, { search, group, status, ...page }: TokenQuery): Promise<TokenList> =>
    answerPage(
      page,
      (asked) =>
        lists.tokens(
          { accountId, ...named({ search: search || undefined, group, status }) },
          asked,
        ),
      viewToken,
    ),
})
