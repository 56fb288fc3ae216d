import { Fieldset } from '@mantine/core'
import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { type Edit, EditForm } from '../../parts/edit.tsx'
import { LimitFields, RegionFields, useRegionLabel } from '../../parts/fields.tsx'
import { inputsOf } from '../../parts/form.tsx'
import {
  changedIn,
  type LimitValues,
  limitValues,
  type RegionValues,
  readLimits,
  readRegions,
  regionValues,
} from '../../parts/form-values.ts'
import { accountText, rolesOf } from './text.ts'

interface SettingsProps {
  readonly account: AccountDetail
  readonly edit: Edit<AccountDetail, AccountValues>
}

/** What an account may do; sends only what was changed. */
export function Settings({ account, edit }: SettingsProps) {
  const text = useText(accountText)
  const regionLabel = useRegionLabel()
  const { form } = edit
  const input = inputsOf(form, text)
  return (
    <EditForm
      edit={edit}
      shown={(state) => ({
        ...shown(state, text),
        [regionLabel]: state.regions ?? text.everywhere,
      })}
    >
      {input.choice('role', rolesOf(text), { disabled: account.is_self })}
      {input.usd('credit_limit')}
      {input.usd('balance_low_below', {
        description: text.lowHint(formatUsd(account.low_threshold)),
      })}
      <RegionFields form={form} />
      <Fieldset legend={text.limits}>
        <LimitFields form={form} />
      </Fieldset>
    </EditForm>
  )
}

function shown(account: AccountDetail, text: (typeof accountText)['en']): Record<string, unknown> {
  return {
    [text.role]: text.roles[account.role],
    [text.status]: text.statuses[account.status],
    [text.credit_limit]: account.credit_limit,
    [text.balance_low_below]: account.balance_low_below,
    [text.limits]: account.limits,
  }
}

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

const settingsOf = (values: AccountValues) => ({
  role: values.role,
  credit_limit: values.credit_limit.trim() || '0',
  balance_low_below: values.balance_low_below.trim() || null,
  limits: readLimits(values.limits),
  regions: readRegions(values.regions),
})

/** What the form changes of what was seen: nothing else is named. */
export const changeOf = (seen: AccountDetail, values: AccountValues): AccountPatch => ({
  ...changedIn<AccountPatch>(settingsOf(valuesOf(seen)), settingsOf(values)),
  revision: seen.revision,
})
