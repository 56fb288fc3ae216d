import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { isLess } from '../../lib/decimal.ts'

export type TokenState = 'active' | 'disabled' | 'expired' | 'spentUp'
type Limited = Pick<ListedToken, 'status' | 'expires_at' | 'budget' | 'spent'>

/** Why a token is refused by itself, or that it is not. */
export function stateOf({ status, expires_at, budget, spent }: Limited): TokenState {
  if (status === 'disabled') return 'disabled'
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return 'expired'
  const isSpent = (['total', 'day', 'month'] as const).some((part) => {
    const limit = budget[part]
    return limit !== null && !isLess(spent[part], limit)
  })
  return isSpent ? 'spentUp' : 'active'
}

/** The one to ask with: the first that works now and can call what is wanted; else undefined. */
export const tokenThatWorks = <Token extends Limited>(
  tokens: readonly Token[],
  canCall: (token: Token) => boolean = () => true,
): Token | undefined => tokens.find((token) => stateOf(token) === 'active' && canCall(token))
