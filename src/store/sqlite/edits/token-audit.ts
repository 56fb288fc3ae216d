import { isoTime } from '../../../lib/format.ts'
import type { TokenView } from '../../ports/admin.ts'

/** What the audit tells of a token: nothing that is secret. */
export function shown({ name, group, status, models, ipAllow, ...more }: TokenView) {
  const { isStrict, expiresAt, budget, limits } = more
  return {
    ...{ name, group, status, models, ip_allow: ipAllow, strict: isStrict, ...limits },
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
    budget_total_nano: budget.totalNano,
    budget_day_nano: budget.dayNano,
    budget_month_nano: budget.monthNano,
  }
}

type Shown = ReturnType<typeof shown>

/** Of what is shown, what differs: `{ name: { from, to } }`. */
export const differences = (before: Shown, after: Shown) =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = before[name as keyof Shown]
      return Bun.deepEquals(from, to) ? [] : [[name, { from, to }]]
    }),
  )
