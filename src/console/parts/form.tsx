import { Button, type ButtonProps, Group, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { showAtField } from '../lib/form-errors.ts'
import { useText } from '../lib/language.tsx'
import { commonText } from '../lib/texts.ts'
import { ErrorNotice } from './notices.tsx'

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
