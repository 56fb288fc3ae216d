import {
  Alert,
  Button,
  Checkbox,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import type { AccountDetail, AccountPatch } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { confirm, sayDone, sayRefused, useAttempt, useRefresh } from '../../parts/action.tsx'
import { presentOf } from '../../parts/edit.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { accountText } from './text.ts'

interface ActionProps {
  readonly account: AccountDetail
  /** Shows what became of it. */
  readonly show: (now: AccountDetail) => void
}

/** Changes an account at once; what another person has changed meanwhile is shown first. */
function useChange({ account: { id, revision }, show }: ActionProps) {
  const { isBusy, attempt } = useAttempt()
  const change = (patch: Omit<AccountPatch, 'revision'>, done: string) =>
    attempt(async () => {
      try {
        show(await call(api.admin.accounts({ id }).patch({ revision, ...patch })))
        sayDone(done)
      } catch (error) {
        const present = presentOf<AccountDetail>(error)
        if (present) show(present)
        sayRefused(error)
      }
    })
  return { isBusy, change }
}

/** Suspends an account, or lets it in again. */
export function Suspend(props: ActionProps) {
  const text = useText(accountText)
  const { email, status } = props.account
  const { isBusy, change } = useChange(props)
  const isActive = status === 'active'
  async function toggle(): Promise<void> {
    if (!isActive) return change({ status: 'active' }, text.isResumed(email))
    const words = { title: text.suspend, text: text.suspendAsk, confirm: text.suspend }
    if (!(await confirm({ ...words, isDangerous: true }))) return
    await change({ status: 'disabled' }, text.isSuspended(email))
  }
  return (
    <Button variant="default" loading={isBusy} onClick={() => void toggle()}>
      {isActive ? text.suspend : text.resume}
    </Button>
  )
}

/** Says that an account registered itself, and lets an administrator vouch for its address. */
export function Vouch(props: ActionProps) {
  const text = useText(accountText)
  const { email } = props.account
  const { isBusy, change } = useChange(props)
  async function vouch(): Promise<void> {
    const words = { title: text.vouch, text: text.vouchAsk(email), confirm: text.vouch }
    if (await confirm(words)) await change({ is_vouched: true }, text.vouched(email))
  }
  return (
    <Alert color="yellow">
      <Stack align="start" gap="xs">
        <Text size="sm">{text.selfMade}</Text>
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void vouch()}>
          {text.vouch}
        </Button>
      </Stack>
    </Alert>
  )
}

/** Removes an account, for who types its e-mail. */
export function Remove({ account }: { readonly account: AccountDetail }) {
  const text = useText(accountText)
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {text.remove}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text.removeTitle}>
        <Confirmation account={account} close={close} />
      </Modal>
    </>
  )
}

interface ConfirmationProps {
  readonly account: AccountDetail
  readonly close: () => void
}

function Confirmation({ account: { id, email, revision }, close }: ConfirmationProps) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({ initialValues: { typed: '' } })
  const typed = form.values.typed.trim()
  return (
    <SendForm
      form={form}
      send={async () => {
        await call(api.admin.accounts({ id }).delete({ email: typed, revision }))
        sayDone(text.removed(email))
        await navigate({ to: '/admin/accounts' })
        queries.removeQueries({ queryKey: ['account', id] })
        await queries.invalidateQueries({ queryKey: ['accounts'] })
      }}
      submit={text.remove}
      look={{ color: 'red', disabled: typed !== email }}
      cancel={close}
    >
      <Text size="sm">{text.removeText}</Text>
      <TextInput
        label={text.typeEmail(email)}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('typed')}
      />
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
