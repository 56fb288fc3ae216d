import { parseDateTime } from '../../lib/clock.ts'
import { accountFields } from '../../resources/account.ts'
import { auditedFields } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import type { AuditEntry, StoredAccount, TokenView } from '../../store/ports/admin.ts'
import type { Listed } from '../../store/ports/lists.ts'

/** What of a token refuses requests. */
export type TokenThen = Pick<
  TokenView,
  'name' | 'group' | 'status' | 'expiresAt' | 'models' | 'ipAllow' | 'budget'
>

type Changes = Pick<Listed<AuditEntry>, 'rows' | 'next'>
type Fields = Readonly<Record<string, unknown>>

/** Takes back what the audit says was changed since, newest first; undefined: it was too much to read. */
function rewind(present: Fields, { rows, next }: Changes): Fields | undefined {
  if (next !== null) return undefined
  const then = { ...present }
  for (const { detail } of rows) {
    for (const [field, change] of Object.entries(detail)) {
      if (isChange(change)) then[field] = change.from
    }
  }
  return then
}

const isChange = (change: unknown): change is { readonly from: unknown; readonly to: unknown } =>
  typeof change === 'object' && change !== null && 'from' in change && 'to' in change

/** A token as it was before these changes. */
export function tokenBefore(token: TokenView, changes: Changes): TokenThen | undefined {
  const then = rewind(auditedFields(tokenFields, token), changes)
  if (then === undefined) return undefined
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : [])
  const nano = (value: unknown) => (typeof value === 'number' ? value : null)
  return {
    name: String(then.name),
    group: String(then.group),
    status: then.status === 'disabled' ? 'disabled' : 'active',
    expiresAt: parseDateTime(String(then.expires_at)) ?? null,
    models: texts(then.models),
    ipAllow: texts(then.ip_allow),
    budget: {
      totalNano: nano(then.budget_total_nano),
      dayNano: nano(then.budget_day_nano),
      monthNano: nano(then.budget_month_nano),
    },
  }
}

/** The credit limit of an account before these changes. */
export function creditBefore(account: StoredAccount, changes: Changes): number | undefined {
  const then = rewind(auditedFields(accountFields, account), changes)?.credit_limit_nano
  return typeof then === 'number' ? then : undefined
}
