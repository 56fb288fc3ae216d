import { Button, Checkbox, Group, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/form-errors.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { accountText } from '../accounts/text.ts'

const empty = { kind: 'credit', amount: '', reason: '', mayOverdraw: false }

/** Tops a balance up or takes from it. What is sent twice counts once. */
export function Adjust({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  /** Of this order: a new one when it is done, or when it becomes another. */
  const key = useRef(crypto.randomUUID())
  const form = useForm({
    initialValues: empty,
    onValuesChange: () => {
      key.current = crypto.randomUUID()
    },
  })
  const submit = form.onSubmit(async ({ kind, amount, reason, mayOverdraw }) => {
    setError(null)
    const order = { amount: amount.trim(), reason, idempotency_key: key.current }
    const route = api.admin.accounts({ id: account.id })
    const isCredit = kind === 'credit'
    try {
      const booked = await call(
        isCredit
          ? route.credit.post(order)
          : route.debit.post({ ...order, may_overdraw: mayOverdraw }),
      )
      form.reset()
      key.current = crypto.randomUUID()
      const words = isCredit ? text.credited : text.debited
      notifications.show({
        message: words(formatUsd(booked.amount), formatUsd(booked.balance)),
        color: 'green',
      })
      await Promise.all(
        ['account', 'accounts', 'account-ledger'].map((name) =>
          queries.invalidateQueries({ queryKey: [name] }),
        ),
      )
    } catch (failure) {
      const fields = { amount: 'amount', reason: 'reason' } as const
      if (!showAtField(form, failure, fields)) setError(failure)
    }
  })
  const isDebit = form.values.kind === 'debit'
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={text.kind}
          data={[
            { value: 'credit', label: text.credit },
            { value: 'debit', label: text.debit },
          ]}
          w="fit-content"
          {...form.getInputProps('kind')}
        />
        <TextInput
          label={text.amount}
          leftSection="$"
          inputMode="decimal"
          autoComplete="off"
          required
          {...form.getInputProps('amount')}
        />
        <TextInput
          label={text.reason}
          description={text.reasonHint}
          maxLength={500}
          required
          {...form.getInputProps('reason')}
        />
        {isDebit && (
          <Checkbox
            label={text.mayOverdraw}
            {...form.getInputProps('mayOverdraw', { type: 'checkbox' })}
          />
        )}
        {error !== null && <ErrorNotice error={error} />}
        <Group>
          <Button type="submit" color={isDebit ? 'red' : undefined} loading={form.submitting}>
            {isDebit ? text.debit : text.credit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
