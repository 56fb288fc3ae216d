import { Anchor, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Outside } from '../../parts/outside.tsx'
import { signInText } from './text.ts'

interface SecondStepProps {
  readonly onDone: () => Promise<void>
  readonly onBack: () => void
}

/** The code that an account with a second factor is asked for. */
export function SecondStep({ onDone, onBack }: SecondStepProps) {
  const text = useText(signInText)
  const [isBackup, setBackup] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const form = useForm({ initialValues: { code: '', trust: false } })
  const submit = form.onSubmit(async ({ code, trust }) => {
    setError(null)
    try {
      const entry = { code: code.replaceAll(' ', ''), trust, backup: isBackup }
      await call(api.auth['second-factor'].post(entry))
      await onDone()
    } catch (failure) {
      if (!showAtField(form, failure, { code: 'code' })) setError(failure)
    }
  })
  return (
    <Outside title={text.secondStep}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={text.code}
            description={isBackup ? text.backupHint : text.codeHint}
            autoComplete="one-time-code"
            inputMode={isBackup ? 'text' : 'numeric'}
            data-autofocus
            required
            {...form.getInputProps('code')}
          />
          <Checkbox label={text.trust} {...form.getInputProps('trust', { type: 'checkbox' })} />
          {error !== null && <ErrorNotice error={error} />}
          <Button type="submit" loading={form.submitting}>
            {text.confirm}
          </Button>
          <Group justify="space-between">
            <Anchor component="button" type="button" onClick={onBack}>
              {text.back}
            </Anchor>
            <Anchor component="button" type="button" onClick={() => setBackup(!isBackup)}>
              {isBackup ? text.useApp : text.useBackup}
            </Anchor>
          </Group>
        </Stack>
      </form>
    </Outside>
  )
}
