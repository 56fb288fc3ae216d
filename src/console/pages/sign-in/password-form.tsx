import { Button, Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { signInText } from './text.ts'

interface PasswordFormProps {
  readonly onDone: () => Promise<void>
  readonly onSecondStep: () => void
}

/** Signing in by e-mail and password. */
export function PasswordForm({ onDone, onSecondStep }: PasswordFormProps) {
  const text = useText(signInText)
  const [error, setError] = useState<unknown>(null)
  const form = useForm({ initialValues: { email: '', password: '', remember: true } })
  const submit = form.onSubmit(async (values) => {
    setError(null)
    try {
      const { two_factor } = await call(api.auth['sign-in'].email.post(values))
      if (two_factor) onSecondStep()
      else await onDone()
    } catch (failure) {
      if (!showAtField(form, failure, { email: 'email' })) setError(failure)
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={text.password}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <Checkbox label={text.remember} {...form.getInputProps('remember', { type: 'checkbox' })} />
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" loading={form.submitting}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  )
}
