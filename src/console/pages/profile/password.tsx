import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { profileText } from './text.ts'

/** Changing the password; all other sessions end with it. */
export function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const text = useText(profileText)
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const form = useForm({ initialValues: { current: '', wanted: '' } })
  const submit = form.onSubmit(async ({ current, wanted }) => {
    setError(null)
    try {
      const change = { current_password: current, new_password: wanted }
      await call(api.auth.password.post(change))
      form.reset()
      notifications.show({ message: text.changed, color: 'green' })
      await queries.invalidateQueries({ queryKey: ['sessions'] })
    } catch (failure) {
      const fields = {
        current_password: 'current',
        new_password: 'wanted',
        password: 'current',
      } as const
      if (!showAtField(form, failure, fields)) setError(failure)
    }
  })
  if (!hasPassword) return <Text>{text.noPassword}</Text>
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label={text.current}
          autoComplete="current-password"
          required
          {...form.getInputProps('current')}
        />
        <PasswordInput
          label={text.wanted}
          description={text.wantedHint}
          autoComplete="new-password"
          required
          {...form.getInputProps('wanted')}
        />
        {error !== null && <ErrorNotice error={error} />}
        <Button type="submit" variant="default" loading={form.submitting} w="fit-content">
          {text.change}
        </Button>
      </Stack>
    </form>
  )
}
