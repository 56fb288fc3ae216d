import type { ListStore } from '../../store/ports/lists.ts'
import { answerPage } from '../paging.ts'
import type { TokenList, TokenQuery } from './schema.ts'
import { viewToken } from './view.ts'

export type TokenLists = ReturnType<typeof createTokenLists>

/** The tokens of one account, page by page. */
export const createTokenLists = (lists: Pick<ListStore, 'tokens'>) => ({
  list: (accountId: number, { search, group, status, ...page }: TokenQuery): Promise<TokenList> =>
    answerPage(
      page,
      (asked) =>
        lists.tokens(
          {
            accountId,
            ...(search && { search }),
            ...(group !== undefined && { group }),
            ...(status !== undefined && { status }),
          },
          asked,
        ),
      viewToken,
    ),
})
