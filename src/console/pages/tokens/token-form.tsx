import { Box, Fieldset, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useEffect, useState } from 'react'
import { api, call } from '../../lib/api.ts'
import { useText } from '../../lib/language.ts'
import { useRefresh } from '../../parts/action.tsx'
import { ChoiceInput } from '../../parts/choice-input.tsx'
import { Fields } from '../../parts/fields.tsx'
import { SendForm } from '../../parts/form.tsx'
import { loadCode } from '../../parts/on-demand.ts'
import { ErrorNotice } from '../../parts/page.tsx'
import { SomeOf } from '../../parts/picking.tsx'
import { callFields, limitFields, newTokenOf, type TokenValues, valuesOf } from './fields.ts'
import { useGroups } from './groups.ts'
import { tokenFormText, tokensText } from './text.ts'

interface TokenFieldsProps {
  readonly form: UseFormReturnType<TokenValues>
  readonly isNew?: boolean
}

/** What can be said of a token, for making one and for changing it. */
export function TokenFields({ form, isNew = false }: TokenFieldsProps) {
  const text = useText(tokenFormText)
  const groups = useGroups().data?.items ?? []
  const { group, models } = form.values
  const offered = groups.find(({ name }) => name === group)?.models ?? []
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
      <Fields
        form={form}
        fields={callFields}
        text={text}
        looks={{
          name: {
            ...(!isNew && { description: text.nameKept }),
            maxLength: 200,
            'data-autofocus': true,
          },
        }}
        own={{
          group: (given) => <ChoiceInput {...given} data={options} required />,
          models: (given) => (
            <SomeOf
              {...given}
              placeholder={models.length === 0 ? text.modelsAll : undefined}
              data={[...new Set([...offered, ...models])]}
            />
          ),
        }}
      />
      {isNew ? (
        <Restrictions form={form} />
      ) : (
        <Fieldset legend={text.restrictions}>
          <Fields form={form} fields={limitFields} text={text} />
        </Fieldset>
      )}
    </Stack>
  )
}

/** What few new tokens need: folded away, unless something in it is at fault. */
function Restrictions({ form }: Pick<TokenFieldsProps, 'form'>) {
  const text = useText(tokenFormText)
  const [isOpen, setOpen] = useState(false)
  const isAtFault = Object.keys(form.errors).some((path) =>
    Object.hasOwn(limitFields, path.split('.')[0] ?? ''),
  )
  return (
    <details
      open={isOpen || isAtFault}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{text.restrictions}</summary>
      <Box mt="sm">
        <Fields form={form} fields={limitFields} text={text} />
      </Box>
    </details>
  )
}

/** Makes a token, then shows its key once. */
export function CreateToken({ close }: { readonly close: () => void }) {
  const text = useText(tokensText)
  const formText = useText(tokenFormText)
  const groups = useGroups()
  const refresh = useRefresh()
  const [issued, setIssued] = useState<ReactNode>()
  const form = useForm<TokenValues>({
    initialValues: valuesOf(undefined),
    validate: { group: (name) => (name === '' ? formText.needGroup : null) },
  })
  const cheapest = groups.data?.items[0]?.name
  const { setFieldValue, getValues } = form
  useEffect(() => {
    if (cheapest !== undefined && getValues().group === '') setFieldValue('group', cheapest)
  }, [cheapest, setFieldValue, getValues])

  if (issued) return issued
  return (
    <SendForm
      form={form}
      send={async (values) => {
        // Before the token is made: its key is shown only once.
        const { Issued } = await loadCode(() => import('./issued.tsx'))
        const made = await call(api.tokens.post(newTokenOf(values)))
        setIssued(<Issued issued={made} close={close} />)
        await refresh('tokens', 'token', 'overview', 'admin')
      }}
      submit={text.make}
      cancel={close}
    >
      {groups.error && <ErrorNotice error={groups.error} retry={() => void groups.refetch()} />}
      <TokenFields form={form} isNew />
    </SendForm>
  )
}
