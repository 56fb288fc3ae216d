import { Fieldset, Select, TextInput } from '@mantine/core'
import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { type Edit, EditForm } from '../../parts/edit.tsx'
import { LimitFields, RegionFields, useRegionLabel } from '../../parts/fields.tsx'
import { fieldsOf } from '../../parts/form.tsx'
import {
  type LimitValues,
  limitValues,
  type RegionValues,
  readLimits,
  readRegions,
  regionValues,
} from '../../parts/form-values.ts'
import { accountText } from './text.ts'

interface SettingsProps {
  readonly account: AccountDetail
  readonly edit: Edit<AccountDetail, AccountValues>
}

/** What an account may do; sends only what was changed. */
export function Settings({ account, edit }: SettingsProps) {
  const text = useText(accountText)
  const regionLabel = useRegionLabel()
  const { form } = edit
  const field = fieldsOf(form, text)
  return (
    <EditForm
      edit={edit}
      shown={(state) => ({
        ...shown(state, text),
        [regionLabel]: state.regions ?? text.everywhere,
      })}
    >
      <Select
        allowDeselect={false}
        disabled={account.is_self}
        data={(['user', 'admin'] as const).map((value) => ({ value, label: text.roles[value] }))}
        {...field('role')}
      />
      <TextInput leftSection="$" inputMode="decimal" {...field('credit_limit')} />
      <TextInput
        leftSection="$"
        inputMode="decimal"
        {...field('balance_low_below')}
        description={text.lowHint(formatUsd(account.low_threshold))}
      />
      <RegionFields kind={form.values.regions.kind} inputProps={form.getInputProps} />
      <Fieldset legend={text.limits}>
        <LimitFields inputProps={form.getInputProps} />
      </Fieldset>
    </EditForm>
  )
}

/** What two people may have changed, by its label. */
function shown(account: AccountDetail, text: (typeof accountText)['en']): Record<string, unknown> {
  return {
    [text.role]: text.roles[account.role],
    [text.status]: text.statuses[account.status],
    [text.credit_limit]: account.credit_limit,
    [text.balance_low_below]: account.balance_low_below,
    [text.limits]: account.limits,
  }
}

/** What stands in the form of an account. */
interface AccountValues {
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
