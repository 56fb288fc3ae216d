import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useState } from 'react'
import type { IssuedToken } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/form-errors.ts'
import { useText } from '../../lib/language.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Code, Colon } from '../../parts/values.tsx'
import { emptyToken, formFields, type TokenValues, toNewToken } from './form-values.ts'
import { tokenFormText, tokensText } from './text.ts'
import { TokenFields, useGroups } from './token-fields.tsx'
import { useTokenActions } from './use-token-actions.tsx'

/** Makes a token, then shows its key once. */
export function CreateToken({ close }: { readonly close: () => void }) {
  const text = useText(tokensText)
  const formText = useText(tokenFormText)
  const groups = useGroups()
  const { seen } = useTokenActions()
  const [issued, setIssued] = useState<IssuedToken>()
  const [error, setError] = useState<unknown>(null)
  const form = useForm<TokenValues>({
    initialValues: emptyToken,
    validate: { group: (name) => (name === '' ? formText.needGroup : null) },
  })
  const cheapest = groups.data?.items[0]?.name
  const { setFieldValue, getValues } = form
  useEffect(() => {
    if (cheapest !== undefined && getValues().group === '') setFieldValue('group', cheapest)
  }, [cheapest, setFieldValue, getValues])

  const submit = form.onSubmit(async (values) => {
    setError(null)
    try {
      setIssued(await call(api.tokens.post(toNewToken(values))))
      await seen()
    } catch (failure) {
      if (!showAtField(form, failure, formFields)) setError(failure)
    }
  })
  if (issued) return <Issued issued={issued} close={close} />
  return (
    <form onSubmit={submit}>
      <Stack>
        {groups.error && <ErrorNotice error={groups.error} retry={() => void groups.refetch()} />}
        <TokenFields form={form} isNew />
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

interface IssuedProps {
  readonly issued: IssuedToken
  readonly close: () => void
}

function Issued({ issued: { token, key }, close }: IssuedProps) {
  const text = useText(tokensText)
  return (
    <Stack>
      <Text fw={600} role="status">
        {text.made}
        <Colon />
        {token.name}
      </Text>
      <Text size="sm">{text.keyHint}</Text>
      <Code label={text.key}>{key}</Code>
      <Group justify="flex-end">
        <ButtonLink
          variant="default"
          onClick={close}
          to="/tokens/$id"
          params={{ id: String(token.id) }}
        >
          {text.setUp}
        </ButtonLink>
        <Button onClick={close}>{text.done}</Button>
      </Group>
    </Stack>
  )
}
