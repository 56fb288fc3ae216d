import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AccountDetail } from '../../../admin/accounts/schema.ts'
import { api, call } from '../../lib/api.ts'
import { faultText } from '../../lib/error-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { presentOf } from '../../parts/edit.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { accountText } from '../accounts/text.ts'

interface SuspendProps {
  readonly account: AccountDetail
  /** Shows what became of it. */
  readonly show: (now: AccountDetail) => void
}

/** Suspends an account, or lets it in again. */
export function Suspend({ account, show }: SuspendProps) {
  const text = useText(accountText)
  const { language } = useLanguage()
  const { id, email, status, revision } = account
  const isActive = status === 'active'
  const change = useMutation({
    mutationFn: () =>
      call(
        api.admin.accounts({ id }).patch({ revision, status: isActive ? 'disabled' : 'active' }),
      ),
    onSuccess: (changed) => {
      show(changed)
      const message = isActive ? text.isSuspended(email) : text.isResumed(email)
      notifications.show({ message, color: 'green' })
    },
    onError: (error) => {
      // What another person has changed is shown first: then it can be decided again.
      const present = presentOf<AccountDetail>(error)
      if (present) show(present)
      notifications.show({ message: faultText(error, language), color: 'red' })
    },
  })
  async function ask(): Promise<void> {
    const isSure =
      !isActive ||
      (await confirm({
        title: text.suspend,
        text: text.suspendAsk,
        confirm: text.suspend,
        cancel: text.cancel,
        isDangerous: true,
      }))
    if (isSure) change.mutate()
  }
  return (
    <Button variant="default" loading={change.isPending} onClick={() => void ask()}>
      {isActive ? text.suspend : text.resume}
    </Button>
  )
}

interface VouchProps {
  readonly account: AccountDetail
  /** Shows what became of it. */
  readonly show: (now: AccountDetail) => void
}

/** Says that an account registered itself, and lets an administrator vouch for its address. */
export function Vouch({ account: { id, email, revision }, show }: VouchProps) {
  const text = useText(accountText)
  const { language } = useLanguage()
  const vouch = useMutation({
    mutationFn: () => call(api.admin.accounts({ id }).patch({ revision, is_vouched: true })),
    onSuccess: (changed) => {
      show(changed)
      notifications.show({ message: text.vouched(email), color: 'green' })
    },
    onError: (error) => {
      const present = presentOf<AccountDetail>(error)
      if (present) show(present)
      notifications.show({ message: faultText(error, language), color: 'red' })
    },
  })
  async function ask(): Promise<void> {
    const isSure = await confirm({
      title: text.vouch,
      text: text.vouchAsk(email),
      confirm: text.vouch,
      cancel: text.cancel,
    })
    if (isSure) vouch.mutate()
  }
  return (
    <Alert color="yellow">
      <Stack align="start" gap="xs">
        <Text size="sm">{text.selfMade}</Text>
        <Button size="xs" variant="default" loading={vouch.isPending} onClick={() => void ask()}>
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
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => call(api.admin.accounts({ id }).delete({ email: typed.trim(), revision })),
    onSuccess: async () => {
      notifications.show({ message: text.removed(email), color: 'green' })
      await navigate({ to: '/admin/accounts' })
      queries.removeQueries({ queryKey: ['account', id] })
      await queries.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        remove.mutate()
      }}
    >
      <Stack>
        <Text size="sm">{text.removeText}</Text>
        <TextInput
          label={text.typeEmail(email)}
          value={typed}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {remove.error && <ErrorNotice error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {text.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            disabled={typed.trim() !== email}
            loading={remove.isPending}
          >
            {text.remove}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
