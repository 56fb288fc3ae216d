import { Button, Fieldset, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { accountText } from '../accounts/text.ts'

interface SettingsProps {
  readonly account: AccountDetail
  readonly show: (account: AccountDetail) => Promise<void>
}

const numberText = (value: number | null) => (value === null ? '' : String(value))
const valuesOf = ({ role, credit_limit, balance_low_below, limits }: AccountDetail) => ({
  role,
  credit_limit,
  balance_low_below: balance_low_below ?? '',
  rpm: numberText(limits.rpm),
  tpm: numberText(limits.tpm),
  concurrency: numberText(limits.concurrency),
})
type Values = ReturnType<typeof valuesOf>

const whole = (text: string) => (text.trim() === '' ? null : Number(text))

/** Only what differs from what was shown. */
function patchOf(values: Values, before: Values): Omit<AccountPatch, 'revision'> {
  const limits = (['rpm', 'tpm', 'concurrency'] as const)
    .filter((name) => values[name] !== before[name])
    .map((name) => [name, whole(values[name])])
  const { role, credit_limit, balance_low_below: low } = values
  return {
    ...(role !== before.role && { role }),
    ...(credit_limit !== before.credit_limit && { credit_limit: credit_limit.trim() || '0' }),
    ...(low !== before.balance_low_below && { balance_low_below: low.trim() || null }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  }
}

const fields = {
  role: 'role',
  credit_limit: 'credit_limit',
  balance_low_below: 'balance_low_below',
  'limits.rpm': 'rpm',
  'limits.tpm': 'tpm',
  'limits.concurrency': 'concurrency',
} as const

/** What an account may do; sends only what was changed. */
export function Settings({ account, show }: SettingsProps) {
  const text = useText(accountText)
  const [error, setError] = useState<unknown>(null)
  const before = valuesOf(account)
  const form = useForm({ initialValues: before })
  const submit = form.onSubmit(async (values) => {
    setError(null)
    try {
      const patch = { ...patchOf(values, before), revision: account.revision }
      await show(await call(api.admin.accounts({ id: account.id }).patch(patch)))
      notifications.show({ message: text.saved, color: 'green' })
    } catch (failure) {
      if (failure instanceof CallFailed && failure.reason === 'conflict') {
        notifications.show({ message: text.conflict, color: 'yellow', autoClose: false })
        await show(failure.data as AccountDetail)
      } else if (!showAtField(form, failure, fields)) setError(failure)
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
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
        <Fieldset legend={text.limits}>
          <SimpleGrid cols={{ base: 1, xl: 3 }}>
            {(['rpm', 'tpm', 'concurrency'] as const).map((name) => (
              <TextInput
                key={name}
                label={text[name]}
                placeholder={text.noLimit}
                inputMode="numeric"
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
        {error !== null && <ErrorNotice error={error} />}
        <Group>
          <Button type="submit" disabled={!form.isDirty()} loading={form.submitting}>
            {text.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
