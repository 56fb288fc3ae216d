import { Button, Group, Modal, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Proof } from '../../parts/proof.tsx'
import { maintenanceText } from './text.ts'

interface DownloadProps {
  /** Null: none is asked for. */
  readonly name: string | null
  readonly close: () => void
}

/** Asks for the password, then lets the browser take the backup. */
export function Download({ name, close }: DownloadProps) {
  const text = useText(maintenanceText)
  return (
    <Modal opened={name !== null} onClose={close} title={text.download}>
      {name !== null && <Form name={name} close={close} />}
    </Modal>
  )
}

function Form({ name, close }: { readonly name: string; readonly close: () => void }) {
  const text = useText(maintenanceText)
  const [error, setError] = useState<unknown>(null)
  const form = useForm({ initialValues: { password: '' } })
  const submit = form.onSubmit(async ({ password }) => {
    setError(null)
    try {
      const { path } = await call(
        api.admin.backups({ name }).download.post({ password: password || null }),
      )
      // An attachment: the page stays.
      location.assign(path)
      close()
    } catch (failure) {
      if (!showAtField(form, failure, { password: 'password' })) setError(failure)
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Proof
          label={text.password}
          hint={text.passwordHint}
          input={form.getInputProps('password')}
        />
        {error !== null && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={form.submitting}>
            {text.download}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
