import { Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useState } from 'react'
import type { IssuedToken } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { showAtField } from '../../lib/form-errors.ts'
import { useText } from '../../lib/language.tsx'
import { useRefresh } from '../../parts/action.tsx'
import { SendForm } from '../../parts/form.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { ErrorNotice } from '../../parts/notices.tsx'
import { Code, Colon } from '../../parts/values.tsx'
import { emptyToken, formFields, type TokenValues, toNewToken } from './form-values.ts'
import { tokenFormText, tokensText } from './text.ts'
import { TokenFields, useGroups } from './token-fields.tsx'

/** Makes a token, then shows its key once. */
export function CreateToken({ close }: { readonly close: () => void }) {
  const text = useText(tokensText)
  const formText = useText(tokenFormText)
  const groups = useGroups()
  const refresh = useRefresh()
  const [issued, setIssued] = useState<IssuedToken>()
  const form = useForm<TokenValues>({
    initialValues: emptyToken,
    validate: { group: (name) => (name === '' ? formText.needGroup : null) },
  })
  const cheapest = groups.data?.items[0]?.name
  const { setFieldValue, getValues } = form
  useEffect(() => {
    if (cheapest !== undefined && getValues().group === '') setFieldValue('group', cheapest)
  }, [cheapest, setFieldValue, getValues])

  if (issued) return <Issued issued={issued} close={close} />
  return (
    <SendForm
      form={form}
      send={async (values) => {
        setIssued(await call(api.tokens.post(toNewToken(values))))
        await refresh('tokens', 'token')
      }}
      showAtFields={(_, error) => showAtField(form, error, formFields)}
      submit={text.create}
      cancel={close}
    >
      {groups.error && <ErrorNotice error={groups.error} retry={() => void groups.refetch()} />}
      <TokenFields form={form} isNew />
    </SendForm>
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
