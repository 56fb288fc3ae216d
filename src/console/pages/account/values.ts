import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { type LimitValues, limitValues, readLimits } from '../../parts/limit-values.ts'
import { type RegionValues, readRegions, regionValues } from '../../parts/region-values.ts'

/** What stands in the form of an account. */
export interface AccountValues {
  role: AccountDetail['role']
  credit_limit: string
  balance_low_below: string
  limits: LimitValues
  regions: RegionValues
}

/** The form of an account as it is. */
export const valuesOf = (account: AccountDetail): AccountValues => ({
  role: account.role,
  credit_limit: account.credit_limit,
  balance_low_below: account.balance_low_below ?? '',
  limits: limitValues(account.limits),
  regions: regionValues(account.regions),
})

/** What the form changes of what was seen: nothing else is named. */
export function changeOf(seen: AccountDetail, values: AccountValues): AccountPatch {
  const before = valuesOf(seen)
  const { role, credit_limit, balance_low_below: low } = values
  const limits = Object.entries(readLimits(values.limits)).filter(
    ([name, limit]) => limit !== seen.limits[name as keyof LimitValues],
  )
  const regions = readRegions(values.regions)
  return {
    ...(role !== before.role && { role }),
    ...(credit_limit !== before.credit_limit && { credit_limit: credit_limit.trim() || '0' }),
    ...(low !== before.balance_low_below && { balance_low_below: low.trim() || null }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
    ...(JSON.stringify(regions) !== JSON.stringify(readRegions(before.regions)) && { regions }),
    revision: seen.revision,
  }
}
