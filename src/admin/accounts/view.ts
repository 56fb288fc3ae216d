import { formatNano, overdrawnNano } from '../../billing/money.ts'
import { isoTime } from '../../lib/format.ts'
import { accountFields } from '../../resources/account.ts'
import { toView } from '../../resources/resource.ts'
import type { AccountView } from '../../store/ports/admin.ts'
import type { AccountItem } from './schema.ts'

/** In USD; null: it is not overdrawn. */
export function viewOverdraft(account: Parameters<typeof overdrawnNano>[0]): string | null {
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
