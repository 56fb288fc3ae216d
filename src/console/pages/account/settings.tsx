import { Fieldset, Select, TextInput } from '@mantine/core'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { EditForm } from '../../parts/edit-form.tsx'
import { LimitFields } from '../../parts/limit-fields.tsx'
import { RegionFields, useRegionLabel } from '../../parts/region-fields.tsx'
import type { Edit } from '../../parts/use-edit.ts'
import { accountText } from '../accounts/text.ts'
import type { AccountValues } from './values.ts'

interface SettingsProps {
  readonly account: AccountDetail
  readonly edit: Edit<AccountDetail, AccountValues>
}

/** What an account may do; sends only what was changed. */
export function Settings({ account, edit }: SettingsProps) {
  const text = useText(accountText)
  const regionLabel = useRegionLabel()
  const { form } = edit
  return (
    <EditForm
      edit={edit}
      shown={(state) => ({
        ...shown(state, text),
        [regionLabel]: state.regions ?? text.everywhere,
      })}
    >
      <Select
        label={text.role}
        allowDeselect={false}
        disabled={account.is_self}
        data={[
          { value: 'user', label: text.roles.user },
          { value: 'admin', label: text.roles.admin },
        ]}
        {...form.getInputProps('role')}
      />
      <TextInput
        label={text.creditLimit}
        description={text.creditHint}
        leftSection="$"
        inputMode="decimal"
        {...form.getInputProps('credit_limit')}
      />
      <TextInput
        label={text.low}
        description={text.lowHint(formatUsd(account.low_threshold))}
        leftSection="$"
        inputMode="decimal"
        {...form.getInputProps('balance_low_below')}
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
    [text.creditLimit]: account.credit_limit,
    [text.low]: account.balance_low_below,
    [text.limits]: account.limits,
  }
}
