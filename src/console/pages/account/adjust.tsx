import { Checkbox, SegmentedControl, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef } from 'react'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { sayDone, useRefresh } from '../../parts/action.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { accountText } from '../accounts/text.ts'

const empty = { kind: 'credit', amount: '', reason: '', may_overdraw: false }

/** Tops a balance up or takes from it. What is sent twice counts once. */
export function Adjust({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const refresh = useRefresh()
  /** Of this order: a new one when it is done, or when it becomes another. */
  const key = useRef(crypto.randomUUID())
  const form = useForm({
    initialValues: empty,
    onValuesChange: () => {
      key.current = crypto.randomUUID()
    },
  })
  const field = fieldsOf(form, text)
  const send = async ({ kind, amount, reason, may_overdraw }: typeof empty) => {
    const order = { amount: amount.trim(), reason, idempotency_key: key.current }
    const route = api.admin.accounts({ id: account.id })
    const isCredit = kind === 'credit'
    const booked = await call(
      isCredit ? route.credit.post(order) : route.debit.post({ ...order, may_overdraw }),
    )
    form.reset()
    key.current = crypto.randomUUID()
    const words = isCredit ? text.credited : text.debited
    sayDone(words(formatUsd(booked.amount), formatUsd(booked.balance)))
    await refresh('account', 'accounts', 'account-ledger')
  }
  const isDebit = form.values.kind === 'debit'
  return (
    <SendForm
      form={form}
      send={send}
      submit={isDebit ? text.debit : text.credit}
      look={{ w: 'fit-content', ...(isDebit && { color: 'red' }) }}
    >
      <SegmentedControl
        aria-label={text.kind}
        data={(['credit', 'debit'] as const).map((value) => ({ value, label: text[value] }))}
        w="fit-content"
        {...form.getInputProps('kind')}
      />
      <TextInput
        leftSection="$"
        inputMode="decimal"
        autoComplete="off"
        required
        {...field('amount')}
      />
      <TextInput maxLength={500} required {...field('reason')} />
      {isDebit && <Checkbox {...field('may_overdraw', 'checkbox')} />}
    </SendForm>
  )
}
