import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { accountText } from './text.ts'

interface CreateProps {
  readonly isOpen: boolean
  readonly close: () => void
}

/** Makes an account, and goes to it. */
export function Create({ isOpen, close }: CreateProps) {
  const text = useText(accountText)
  return (
    <Modal opened={isOpen} onClose={close} title={text.create}>
      <Form close={close} />
    </Modal>
  )
}

const fields = {
  email: 'email',
  balance: 'balance',
  credit_limit: 'credit_limit',
  password: 'password',
} as const

function Form({ close }: Pick<CreateProps, 'close'>) {
  const text = useText(accountText)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const form = useForm({
    initialValues: { email: '', role: 'user', balance: '', credit_limit: '', password: '' },
  })
  const submit = form.onSubmit(async ({ email, role, balance, credit_limit, password }) => {
    setError(null)
    try {
      const made = await call(
        api.admin.accounts.post({
          email: email.trim(),
          role: role === 'admin' ? 'admin' : 'user',
          ...(balance.trim() && { balance: balance.trim() }),
          ...(credit_limit.trim() && { credit_limit: credit_limit.trim() }),
          ...(password && { password }),
        }),
      )
      notifications.show({ message: text.created(made.email), color: 'green' })
      await queries.invalidateQueries({ queryKey: ['accounts'] })
      close()
      await navigate({ to: `/admin/accounts/${made.id}` })
    } catch (failure) {
      if (!showAtField(form, failure, fields)) setError(failure)
    }
  })
  const usd = { leftSection: '$', inputMode: 'decimal', placeholder: '0' } as const
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={text.email}
          type="email"
          required
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <Select
          label={text.role}
          allowDeselect={false}
          data={[
            { value: 'user', label: text.roles.user },
            { value: 'admin', label: text.roles.admin },
          ]}
          {...form.getInputProps('role')}
        />
        <TextInput
          label={text.opening}
          description={text.openingHint}
          {...usd}
          {...form.getInputProps('balance')}
        />
        <TextInput
          label={text.creditLimit}
          description={text.creditHint}
          {...usd}
          {...form.getInputProps('credit_limit')}
        />
        <PasswordInput
          label={text.password}
          description={text.passwordHint}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {error !== null && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={form.submitting}>
            {text.create}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
