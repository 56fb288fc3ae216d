import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { TokenDetails } from '../../../admin/tokens/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/field-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { formFields, type TokenValues, toPatch, toValues } from '../tokens/form-values.ts'
import { TokenFields } from '../tokens/token-fields.tsx'
import { useTokenActions } from '../tokens/use-token-actions.tsx'
import { tokenText } from './text.ts'

/** Changes a token. What somebody else has changed meanwhile is not overwritten. */
export function Edit({ token }: { readonly token: TokenDetails }) {
  const text = useText(tokenText)
  const { seen } = useTokenActions()
  const closeButtonProps = { 'aria-label': text.close }
  const [error, setError] = useState<unknown>(null)
  const form = useForm<TokenValues>({ initialValues: toValues(token) })
  const submit = form.onSubmit(async (values) => {
    setError(null)
    const patch = toPatch(toValues(token), values)
    if (Object.keys(patch).length === 0) {
      notifications.show({ message: text.nothing, closeButtonProps })
      return
    }
    try {
      await call(api.tokens({ id: token.id }).patch({ ...patch, revision: token.revision }))
      notifications.show({ message: text.saved, color: 'green', closeButtonProps })
      await seen()
    } catch (failure) {
      if (!showAtField(form, failure, formFields)) setError(failure)
    }
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {token.in_file && <Alert color="yellow">{text.inFile}</Alert>}
        <TokenFields form={form} />
        <Failure error={error} reload={() => void seen()} />
        <Button type="submit" loading={form.submitting} w="fit-content">
          {text.save}
        </Button>
      </Stack>
    </form>
  )
}

interface FailureProps {
  readonly error: unknown
  readonly reload: () => void
}

function Failure({ error, reload }: FailureProps) {
  const text = useText(tokenText)
  if (error === null) return null
  if (!(error instanceof CallFailed) || error.reason !== 'conflict') {
    return <ErrorNotice error={error} />
  }
  return (
    <Alert color="orange" role="alert">
      <Group justify="space-between">
        <Text size="sm">{text.conflict}</Text>
        <Button size="xs" variant="default" onClick={reload}>
          {text.reload}
        </Button>
      </Group>
    </Alert>
  )
}
