import { isoTime } from '../../../lib/format.ts'
import type { TokenView } from '../../ports/admin.ts'

/** What the audit tells of a token: nothing that is secret. */
export function audited({ name, group, status, models, ipAllow, ...more }: TokenView) {
  const { isStrict, expiresAt, budget, limits } = more
  return {
    ...{ name, group, status, models, ip_allow: ipAllow, strict: isStrict, ...limits },
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    budget_total_nano: budget.totalNano,
    budget_day_nano: budget.dayNano,
    budget_month_nano: budget.monthNano,
  }
}
