import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { choice, type FieldsOf, formOf, limits, type Typed } from '../../parts/form-fields.ts'

/** What an account may do, in the order in which it is shown. */
export const accountFields = {
  role: choice<AccountDetail['role']>(),
  credit_limit: 'usd',
  balance_low_below: 'usd',
  regions: 'regions',
  limits,
} as const satisfies FieldsOf<AccountPatch, 'is_vouched'>

export const { valuesOf, changeOf, fieldOf, shown } = formOf(accountFields, {}, (read) => ({
  ...read,
  credit_limit: read.credit_limit ?? '0',
}))
export type AccountValues = Typed<typeof accountFields>
