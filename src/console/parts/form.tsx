import {
  Button,
  type ButtonProps,
  Checkbox,
  type CheckboxProps,
  Group,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Switch,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ComponentType, type ReactNode, useState } from 'react'
import { problemsIn, problemText } from '../lib/failure-words.ts'
import { commonText, useText } from '../lib/language.ts'
import { ChoiceInput, type ChoiceInputProps, type Choices } from './choice-input.tsx'
import { ErrorNotice } from './page.tsx'
import { Tags, type TagsProps } from './tags.tsx'
import { useUnsaved } from './unsaved.tsx'
import { WholeInput, type WholeInputProps } from './whole-input.tsx'

/** A field of a form, or of a part of it: `name`, `limits.rpm`. */
type Path<Values> = (keyof Values & string) | `${keyof Values & string}.${string}`

/** Label, hint and value of a form's field; the texts name them `rpm` and `rpmHint`. */
export const fieldsOf =
  <Values extends object>(form: UseFormReturnType<Values>, text: object) =>
  (path: Path<Values>, type: 'input' | 'checkbox' = 'input') => {
    const words = text as Readonly<Record<string, string | undefined>>
    const name = path.split('.').at(-1) ?? path
    return {
      ...{ label: words[name], description: words[`${name}Hint`] },
      ...form.getInputProps(path as Parameters<typeof form.getInputProps>[0], { type }),
    }
  }

const longText = { autosize: true, minRows: 2, maxRows: 14, spellCheck: false }

/** The inputs of a form, with label, hint and value by `fieldsOf`; `look` adds to them. */
export function inputsOf<Values extends object>(form: UseFormReturnType<Values>, text: object) {
  const field = fieldsOf(form, text)
  type Name = Path<Values>
  const input =
    <Props extends object>(
      Input: ComponentType<Props>,
      usual: Partial<Props> = {},
      type?: 'checkbox',
    ) =>
    (name: Name, look?: Partial<Props>) => (
      <Input {...({ ...usual, ...field(name, type), ...look } as Props)} />
    )
  const usd = { leftSection: '$', inputMode: 'decimal', autoComplete: 'off' } as const
  return {
    line: input<TextInputProps>(TextInput),
    lines: input<TextareaProps>(Textarea, longText),
    usd: input<TextInputProps>(TextInput, usd),
    whole: input<WholeInputProps>(WholeInput),
    secret: input<PasswordInputProps>(PasswordInput, { required: true }),
    tags: input<TagsProps>(Tags),
    flag: input<SwitchProps>(Switch, {}, 'checkbox'),
    tick: input<CheckboxProps>(Checkbox, {}, 'checkbox'),
    choice: (name: Name, data: Choices, look?: Omit<ChoiceInputProps, 'data'>) => (
      <ChoiceInput data={data} {...field(name)} {...look} />
    ),
  }
}

/** What `send` returns when it was not sent, for a question was answered with no. */
export const notSent = Symbol('not sent')

interface SendFormProps<Values extends object> {
  readonly form: UseFormReturnType<Values>
  /** Sends what is typed. A refusal is shown at the fields that it names, or below them. */
  readonly send: (values: Values) => Promise<unknown>
  /** The form's field of a field of the API. */
  readonly fieldOf?: (field: string) => string
  readonly children: ReactNode
  readonly submit: string
  readonly look?: ButtonProps
  readonly cancel?: () => void
  readonly below?: ReactNode
  /** The form says itself what is missing, not the browser. */
  readonly noValidate?: boolean
}

/** A form that is sent: its fields, why it was refused, and its button. */
export function SendForm<Values extends object>(props: SendFormProps<Values>) {
  const { form, send, look, cancel } = props
  const text = useText(commonText)
  const [error, setError] = useState<unknown>(null)
  const markSaved = useUnsaved(form)
  const submit = form.onSubmit(async (values) => {
    setError(null)
    try {
      if ((await send(values as Values)) !== notSent) markSaved()
    } catch (failure) {
      if (!showAtFields(form, failure, props.fieldOf)) setError(failure)
    }
  })
  const button = (
    <Button type="submit" loading={form.submitting} {...look}>
      {props.submit}
    </Button>
  )
  return (
    <form onSubmit={submit} noValidate={props.noValidate}>
      <Stack>
        {props.children}
        {error !== null && <ErrorNotice error={error} />}
        {cancel ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              {text.cancel}
            </Button>
            {button}
          </Group>
        ) : (
          button
        )}
        {props.below}
      </Stack>
    </form>
  )
}

interface Form {
  setFieldError(field: string, message: string): void
  getInputNode(field: string): HTMLElement | null
}

/** One of a list (`models.2`) is shown at the list. */
const withoutPlace = (field: string) => field.replace(/\.\d+$/, '')

/**
 * Shows a refusal at the fields of a form that it names, and moves the focus to the first of them.
 * Returns false when part of it has no field: then it is to be shown as a whole, too.
 */
export function showAtFields(form: Form, error: unknown, fieldOf = withoutPlace): boolean {
  const nodes = problemsIn(error).map((problem) => {
    const field = fieldOf(problem.field)
    const node = form.getInputNode(field)
    if (node) form.setFieldError(field, problemText(problem))
    return node
  })
  nodes.find((node) => node !== null)?.focus()
  return nodes.length > 0 && nodes.every((node) => node !== null)
}
