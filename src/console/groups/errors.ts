import { CallFailed } from '../lib/api.ts'
import type { GroupForm } from './fields.tsx'
import { formField } from './form-values.ts'

/** Shows a refusal at the field of the form that it names; false: it names none. */
export function showGroupError(form: GroupForm, error: unknown): boolean {
  if (!(error instanceof CallFailed) || error.field === undefined) return false
  const field = formField(error.field)
  form.setFieldError(field, error.message)
  return form.getInputNode(field) !== null
}
