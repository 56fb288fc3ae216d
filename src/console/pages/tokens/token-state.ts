import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { isLess } from '../../lib/decimal.ts'

export type TokenState = 'active' | 'disabled' | 'expired' | 'spentUp'

/** Why a token is refused by itself, or that it is not. */
export function stateOf({ status, expires_at, budget, spent }: ListedToken): TokenState {
  if (status === 'disabled') return 'disabled'
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) return 'expired'
  const isSpent = (['total', 'day', 'month'] as const).some((part) => {
    const limit = budget[part]
    return limit !== null && !isLess(spent[part], limit)
  })
  return isSpent ? 'spentUp' : 'active'
}

export const stateColors = {
  active: 'green',
  disabled: 'gray',
  expired: 'orange',
  spentUp: 'orange',
} as const
