import { Fieldset, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useMe } from '../lib/api.ts'
import { bilingual, useText } from '../lib/language.ts'
import { Dialog, type DialogProps } from './action.tsx'
import { fieldsOf, inputsOf, SendForm } from './form.tsx'
import { type Fields as Definitions, type Kind, kindOf } from './form-fields.ts'
import { Hint } from './text.tsx'

type Form = UseFormReturnType<Record<string, unknown>>

type Texts = Readonly<Record<string, string | undefined>>
type FieldOf = ReturnType<typeof fieldsOf<Record<string, unknown>>>
type Draw = (given: ReturnType<FieldOf>) => ReactNode

interface FieldsProps<D> {
  readonly form: object
  readonly fields: D
  /** Has the label of each field, its hint as `…Hint`, and its choices as `…Options`. */
  readonly text: { readonly [K in keyof D as D[K] extends Definitions ? never : K]: string }
  /** What precedes the names of the fields in the form: `tiers.1.`. */
  readonly path?: string | undefined
  /** Further properties of inputs. */
  readonly looks?: { readonly [name: string]: object }
  /** Inputs of the page's own. */
  readonly own?: { readonly [K in keyof D]?: Draw }
}

/** The inputs of a form, as its fields are defined. */
export function Fields<const D extends Definitions>(props: FieldsProps<D>) {
  const form = props.form as Form
  const text = props.text as Texts
  const own: Readonly<Record<string, Draw | undefined>> = props.own ?? {}
  const field = fieldsOf(form, text)
  const input = inputsOf(form, text)

  function draw(at: string, name: string, kind: Kind) {
    const look = {
      ...(kind.placeholder && { placeholder: text[kind.placeholder] }),
      ...kind.look,
      ...props.looks?.[name],
    }
    if (own[name]) return own[name]({ ...field(at), ...look })
    const options = Object.entries(text[`${name}Options`] ?? {}).map(([value, label]) => ({
      value,
      label,
    }))
    if (kind.isOpenList) {
      const chosen = form.getInputProps(at).value.kind
      const label = options.find(({ value }) => value === chosen)?.label
      const description = text[`${name}ListHint`]
      return (
        <Stack gap="xs">
          {input.choice(`${at}.kind`, options, {
            label: text[name],
            description: text[`${name}Hint`],
          })}
          {chosen !== 'all' && input.lines(`${at}.list`, { label, description })}
        </Stack>
      )
    }
    if (kind.input === 'choice') return input.choice(at, options, look)
    if (kind.input !== 'radios') return kind.input && input[kind.input](at, look)
    return (
      <Radio.Group {...field(at)} {...look}>
        <Stack gap="xs" mt="xs">
          {options.map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
    )
  }

  const cells = (fields: Definitions, path = ''): readonly ReactNode[] =>
    Object.entries(fields).map(([name, one]) => {
      const kind = kindOf(one)
      const at = path + name
      if (!kind && text[name] === undefined) return cells(one as Definitions, `${at}.`)
      return (
        <div key={at} className={kind?.isNarrow ? 'narrow-field' : 'wide-field'}>
          {kind ? (
            draw(at, name, kind)
          ) : (
            <Fieldset legend={text[name]}>
              {text[`${name}Hint`] && <Hint mb="sm">{text[`${name}Hint`]}</Hint>}
              <Grid columns={Object.keys(one).length === 3 ? 3 : 2}>
                {cells(one as Definitions, `${at}.`)}
              </Grid>
            </Fieldset>
          )}
        </div>
      )
    })
  return <Grid columns={2}>{cells(props.fields, props.path)}</Grid>
}

const Grid = ({ columns, children }: { columns: number; children: ReactNode }) => (
  <SimpleGrid
    {...{ type: 'container', verticalSpacing: 0, className: 'fields' }}
    cols={{ base: 1, [`${columns * 150}px`]: columns }}
  >
    {children}
  </SimpleGrid>
)

const proofTexts = bilingual({
  noPassword: [
    'Your account has no password: this works within ten minutes after signing in. Later, sign out and in again first.',
    '您的账户没有密码：登录后十分钟内可以操作；超过十分钟，请先退出并重新登录。',
  ],
})

interface ProofDialogProps extends Omit<DialogProps, 'children'> {
  /** Has `password` and `passwordHint`. */
  readonly text: object
  /** What will happen. */
  readonly hint?: string
  readonly submit: string
  readonly send: (proof: { password: string | null }) => Promise<unknown>
}

/** A dialog that asks for the password, of who has one, before it does something. */
export const ProofDialog = ({ text, hint, submit, send, ...dialog }: ProofDialogProps) => (
  <Dialog {...dialog}>
    {(close) => <ProofForm {...{ text, submit, send, close, ...(hint && { hint }) }} />}
  </Dialog>
)

interface ProofFormProps extends Pick<ProofDialogProps, 'text' | 'hint' | 'submit' | 'send'> {
  readonly close: () => void
}

function ProofForm({ text, hint, submit, send, close }: ProofFormProps) {
  const form = useForm({ initialValues: { password: '' } })
  return (
    <SendForm
      form={form}
      send={async ({ password }) => {
        await send({ password: password || null })
        close()
      }}
      submit={submit}
      cancel={close}
    >
      {hint && <Text size="sm">{hint}</Text>}
      <ProofField form={form} text={text} look={{ 'data-autofocus': true }} />
    </SendForm>
  )
}

interface ProofFieldProps<Values extends { readonly password: string }> {
  readonly form: UseFormReturnType<Values>
  /** Has `password` and `passwordHint`. */
  readonly text: object
  readonly look?: object
}

/** Asks for the password of who is signed in; without one a fresh session proves who it is. */
export function ProofField<Values extends { readonly password: string }>({
  form,
  text,
  look,
}: ProofFieldProps<Values>) {
  const { noPassword } = useText(proofTexts)
  const hasPassword = useMe().data?.has_password ?? true
  if (!hasPassword) return <Text size="sm">{noPassword}</Text>
  return inputsOf(form, text).secret('password', { autoComplete: 'current-password', ...look })
}
