import { Button, type ButtonProps, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { CallFailed } from '../lib/api.ts'
import { faultText } from '../lib/error-text.ts'
import { commonText, useText } from '../lib/language.ts'
import { ErrorNotice } from './page.tsx'

/** Label, hint and value of a form's field; the texts name them `name` and `nameHint`. */
export const fieldsOf =
  <Values extends object, Text extends object>(form: UseFormReturnType<Values>, text: Text) =>
  (name: keyof Text & keyof Values & string, type: 'input' | 'checkbox' = 'input') => {
    const words = text as Readonly<Record<string, string | undefined>>
    return {
      ...{ label: words[name], description: words[`${name}Hint`] },
      ...form.getInputProps(name as Parameters<typeof form.getInputProps>[0], { type }),
    }
  }

interface SendFormProps<Values extends object> {
  readonly form: UseFormReturnType<Values>
  /** Sends what is typed. What it throws is shown at its field, or below the fields. */
  readonly send: (values: Values) => Promise<void>
  /** Shows a refusal at the fields that it names; false: it is shown as a whole, too. */
  readonly showAtFields?: (form: UseFormReturnType<Values>, error: unknown) => boolean
  readonly children: ReactNode
  /** What the button says. */
  readonly submit: string
  readonly look?: ButtonProps
  /** Leaves the dialog that the form is in; absent: it is in none. */
  readonly cancel?: () => void
  /** What stands below the button. */
  readonly below?: ReactNode
  /** The form says itself what is missing, not the browser. */
  readonly noValidate?: boolean
}

/** A form that is sent: its fields, why it was refused, and its button. */
export function SendForm<Values extends object>(props: SendFormProps<Values>) {
  const { form, send, showAtFields = showAtField, look, cancel } = props
  const text = useText(commonText)
  const [error, setError] = useState<unknown>(null)
  const submit = form.onSubmit(async (values) => {
    setError(null)
    try {
      await send(values as Values)
    } catch (failure) {
      if (!showAtFields(form, failure)) setError(failure)
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

/** What a form needs to show an error at a field. */
interface WithErrors {
  setFieldError(field: string, message: string): void
  getValues(): object
}

/**
 * Shows a refusal at the field that it names, one of a list (`models.2`) at the list; false when it
 * names none of this form: then it is to be shown as a whole. `fields` has the form's names where
 * they are others than the API's.
 */
export function showAtField(
  form: WithErrors,
  error: unknown,
  fields: Readonly<Record<string, string>> = {},
): boolean {
  if (!(error instanceof CallFailed) || error.field === undefined) return false
  const named = error.field
  const plain = named.replace(/\.\d+$/, '')
  const field = fields[named] ?? fields[plain] ?? plain
  const isOwn = Object.hasOwn(fields, plain) || Object.hasOwn(fields, named)
  if (!isOwn && !Object.hasOwn(form.getValues(), plain)) return false
  // Beside its field an error need not name it.
  const start = `${named}: `
  const shown = faultText(error)
  form.setFieldError(field, shown.startsWith(start) ? shown.slice(start.length) : shown)
  return true
}

/** What a form needs to show problems at its fields. */
interface Form {
  setFieldError(field: string, message: string): void
  getInputNode(field: string): HTMLElement | null
}

interface Problem {
  readonly field: string
  readonly message: string
  readonly reason?: string
  readonly fault?: string | undefined
}

/**
 * Shows a refusal at the fields of a form that it names, and leads to the first of them; false: some
 * of it belongs to none, and is to be shown as a whole. `fieldOf` finds the form's name of a field.
 */
export function showProblems(
  form: Form,
  error: unknown,
  fieldOf: (field: string) => string,
): boolean {
  const problems = problemsIn(error)
  for (const problem of problems) {
    form.setFieldError(fieldOf(problem.field), faultText(problem))
  }
  const nodes = problems.map(({ field }) => form.getInputNode(fieldOf(field)))
  nodes.find((node) => node !== null)?.focus()
  return problems.length > 0 && nodes.every((node) => node !== null)
}

function problemsIn(error: unknown): readonly Problem[] {
  if (!(error instanceof CallFailed) || error.field === undefined) return []
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly Problem[] }
  const { field, message, reason, fault } = error
  return problems ?? [{ field, message, reason, fault }]
}
