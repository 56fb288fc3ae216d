import {
  Button,
  Fieldset,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { IssuedToken } from '../../../admin/tokens/schema.ts'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useRefresh } from '../../parts/action.tsx'
import { fieldsOf, SendForm, showAtField } from '../../parts/form.tsx'
import { ErrorNotice } from '../../parts/page.tsx'
import { ButtonLink, Code, Colon } from '../../parts/text.tsx'
import { emptyToken, formFields, type TokenValues, toNewToken } from './form-values.ts'
import { tokenFormText, tokensText } from './text.ts'

interface TokenFieldsProps {
  readonly form: UseFormReturnType<TokenValues>
  /** A new token may have its name made up. */
  readonly isNew?: boolean
}

/** What can be said of a token, for making one and for changing it. */
export function TokenFields({ form, isNew = false }: TokenFieldsProps) {
  const text = useText(tokenFormText)
  const field = fieldsOf(form, text)
  const groups = useGroups().data?.items ?? []
  const { group, models } = form.getValues()
  const offered = groups.find(({ name }) => name === group)?.models ?? []
  const input = (name: keyof TokenValues) => form.getInputProps(name)
  const options = groups.map((one) => ({
    value: one.name,
    label: text.groupOption(one.name, one.rate_multiplier, one.models.length),
  }))
  // Its group may be closed by now: it is shown all the same.
  if (group !== '' && !groups.some(({ name }) => name === group)) {
    options.unshift({ value: group, label: group })
  }
  return (
    <Stack>
      <TextInput
        label={text.name}
        description={isNew ? text.nameHint : undefined}
        maxLength={200}
        data-autofocus
        {...input('name')}
      />
      <Select
        label={text.group}
        description={text.groupHint}
        data={options}
        searchable={options.length > 8}
        allowDeselect={false}
        required
        {...input('group')}
      />
      <MultiSelect
        label={text.models}
        description={text.modelsHint}
        placeholder={models.length === 0 ? text.modelsAll : undefined}
        data={[...new Set([...offered, ...models])]}
        searchable
        clearable
        hidePickedOptions
        limit={100}
        {...input('models')}
      />
      <Fieldset legend={text.limits}>
        <Stack>
          <Budget input={input} />
          <Limits input={input} />
          <TextInput
            type="datetime-local"
            label={text.expires}
            description={text.expiresHint}
            {...input('expires')}
          />
          <TagsInput
            label={text.ipAllow}
            description={text.ipAllowHint}
            splitChars={[',', ' ', ';']}
            {...input('ipAllow')}
          />
          <Switch {...field('strict', 'checkbox')} />
        </Stack>
      </Fieldset>
    </Stack>
  )
}

interface PartProps {
  readonly input: (name: keyof TokenValues) => object
}

function Budget({ input }: PartProps) {
  const text = useText(tokenFormText)
  const common = { inputMode: 'decimal', placeholder: text.noLimit } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label={text.budgetTotal} {...common} {...input('total')} />
      <TextInput label={text.budgetDay} {...common} {...input('day')} />
      <TextInput label={text.budgetMonth} {...common} {...input('month')} />
      <TextInput label={text.maxCost} {...common} {...input('maxCost')} />
    </SimpleGrid>
  )
}

function Limits({ input }: PartProps) {
  const text = useText(tokenFormText)
  const common = { type: 'number', min: 1, step: 1, placeholder: text.noLimit } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <TextInput label={text.rpm} {...common} {...input('rpm')} />
      <TextInput label={text.tpm} {...common} {...input('tpm')} />
      <TextInput label={text.concurrency} {...common} {...input('concurrency')} />
    </SimpleGrid>
  )
}

/** The groups that a token can belong to, with what can be called in them. */
export const useGroups = () =>
  useQuery({
    queryKey: ['open-groups'],
    queryFn: () => call(api.groups.get()),
    staleTime: 30_000,
  })

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
