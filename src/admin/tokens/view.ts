import { formatNano } from '../../billing/money.ts'
import { isoTime } from '../../lib/format.ts'
import type { EditableToken } from '../../store/ports/edits.ts'
import type { ListedToken as ListedRow } from '../../store/ports/lists.ts'
import type { ListedToken, TokenDetails } from './schema.ts'

const usdOrNull = (nano: number | null) => (nano === null ? null : formatNano(nano))

/** A token as lists show it. */
export function viewToken(token: ListedRow | EditableToken): ListedToken {
  const { id, name, group, status, limits, budget, spent, expiresAt } = token
  return {
    ...{ id, name, group, status, limits },
    key_hint: token.keyHint,
    models: [...token.models],
    ip_allow: [...token.ipAllow],
    strict: token.isStrict,
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    budget: {
      total: usdOrNull(budget.totalNano),
      day: usdOrNull(budget.dayNano),
      month: usdOrNull(budget.monthNano),
    },
    spent: {
      total: formatNano(spent.totalNano),
      day: formatNano(spent.dayNano),
      month: formatNano(spent.monthNano),
    },
    last_used_day: token.lastUsedDay,
    created_at: isoTime(token.createdAt),
  }
}

/** The same for whoever is to change it. */
export const viewDetails = (token: EditableToken, isInFile: boolean): TokenDetails => ({
  ...viewToken(token),
  revision: token.revision,
  in_file: isInFile,
})
