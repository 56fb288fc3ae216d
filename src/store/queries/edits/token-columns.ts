import type { TokenFields } from '../../ports/edits.ts'

/** The columns that the named fields of a token stand in; its group, by id, apart. */
export function tokenColumns(fields: TokenFields) {
  const { name, status, models, ipAllow, isStrict, expiresAt, budget = {}, limits = {} } = fields
  const { totalNano, dayNano, monthNano } = budget
  const { rpm, tpm, concurrency } = limits
  return {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(models !== undefined && { models: JSON.stringify(models) }),
    ...(ipAllow !== undefined && { ip_allow: JSON.stringify(ipAllow) }),
    ...(isStrict !== undefined && { strict: isStrict ? 1 : 0 }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(totalNano !== undefined && { budget_total_nano: totalNano }),
    ...(dayNano !== undefined && { budget_day_nano: dayNano }),
    ...(monthNano !== undefined && { budget_month_nano: monthNano }),
    ...(rpm !== undefined && { rpm }),
    ...(tpm !== undefined && { tpm }),
    ...(concurrency !== undefined && { concurrency }),
  }
}
