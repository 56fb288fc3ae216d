import { Alert, SegmentedControl, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { formatUsd } from '../../../look/money.ts'
import { api, call } from '../../lib/api.ts'
import { choicesOf, useText } from '../../lib/language.ts'
import { Action, Dialog, sayDone, useRefresh } from '../../parts/action.tsx'
import { presentOf } from '../../parts/edit.tsx'
import { inputsOf, SendForm } from '../../parts/form.tsx'
import { accountText } from './text.ts'

interface ActionProps {
  readonly account: AccountDetail
  readonly show: (now: AccountDetail) => void
}

/** Changes an account at once; what another person has changed meanwhile is shown first. */
async function change(
  { account: { id, revision }, show }: ActionProps,
  patch: Omit<AccountPatch, 'revision'>,
): Promise<void> {
  try {
    show(await call(api.admin.accounts({ id }).patch({ revision, ...patch })))
  } catch (error) {
    const present = presentOf<AccountDetail>(error)
    if (present) show(present)
    throw error
  }
}

/** Suspends an account, or lets it in again. */
export function Suspend(props: ActionProps) {
  const text = useText(accountText)
  const { email, status } = props.account
  const isActive = status === 'active'
  return (
    <Action
      label={isActive ? text.suspend : text.resume}
      ask={isActive && { title: text.suspend, text: text.suspendAsk, isDangerous: true }}
      run={async () => {
        await change(props, { status: isActive ? 'disabled' : 'active' })
        return isActive ? text.isSuspended(email) : text.isResumed(email)
      }}
    />
  )
}

/** Says that an account registered itself, and lets an administrator vouch for its address. */
export function Vouch(props: ActionProps) {
  const text = useText(accountText)
  const { email } = props.account
  return (
    <Alert color="yellow">
      <Stack align="start" gap="xs">
        <Text size="sm">{text.selfMade}</Text>
        <Action
          size="xs"
          label={text.vouch}
          ask={{ title: text.vouch, text: text.vouchAsk(email) }}
          run={async () => {
            await change(props, { is_vouched: true })
            return text.vouched(email)
          }}
        />
      </Stack>
    </Alert>
  )
}

/** Removes an account, for who types its e-mail. */
export function Remove({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  return (
    <Dialog label={text.remove} title={text.removeTitle} look={{ variant: 'subtle', color: 'red' }}>
      {(close) => <Confirmation account={account} close={close} />}
    </Dialog>
  )
}

function Confirmation({ account, close }: { account: AccountDetail; close: () => void }) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { typed: '' } })
  const { id, email, revision } = account
  const typed = form.values.typed.trim()
  return (
    <SendForm
      form={form}
      send={async () => {
        await call(api.admin.accounts({ id }).delete({ email: typed, revision }))
        sayDone(text.removed(email))
        await navigate({ to: '/admin/accounts' })
        queries.removeQueries({ queryKey: ['account', String(id)] })
        await queries.invalidateQueries({ queryKey: ['accounts'] })
      }}
      submit={text.remove}
      look={{ color: 'red', disabled: typed !== email }}
      cancel={close}
    >
      <Text size="sm">{text.removeText}</Text>
      {inputsOf(form, {}).line('typed', {
        ...{ label: text.typeEmail(email), autoComplete: 'off', 'data-autofocus': true },
      })}
    </SendForm>
  )
}

const empty = { kind: 'credit', amount: '', reason: '', may_overdraw: false }

/** Tops a balance up or takes from it. What is sent twice counts once. */
export function Adjust({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const refresh = useRefresh()
  /** Of this order: a new one when it is done, or when it becomes another. */
  const key = useRef(crypto.randomUUID())
  const renewKey = () => {
    key.current = crypto.randomUUID()
  }
  const form = useForm({ initialValues: empty, onValuesChange: renewKey })
  const input = inputsOf(form, text)
  const send = async ({ kind, amount, reason, may_overdraw }: typeof empty) => {
    const order = { amount: amount.trim(), reason, idempotency_key: key.current }
    const route = api.admin.accounts({ id: account.id })
    const isCredit = kind === 'credit'
    const booked = await call(
      isCredit ? route.credit.post(order) : route.debit.post({ ...order, may_overdraw }),
    )
    form.reset()
    renewKey()
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
        data={choicesOf(['credit', 'debit'], text)}
        w="fit-content"
        {...form.getInputProps('kind')}
      />
      {input.usd('amount', { required: true })}
      {input.line('reason', { maxLength: 500, required: true })}
      {isDebit && input.tick('may_overdraw')}
    </SendForm>
  )
}
