import { CallFailed } from '../lib/api.ts'
import type { ChannelForm } from './fields.tsx'
import { formField } from './form-values.ts'

/** Shows a refusal at the field of the form that it names; false: it names none. */
export function showChannelError(form: ChannelForm, error: unknown): boolean {
  if (!(error instanceof CallFailed) || error.field === undefined) return false
  const field = formField(error.field.replace(/^channel\./, ''))
  form.setFieldError(field, error.message)
  return form.getInputNode(field) !== null
}
