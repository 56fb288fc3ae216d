import { showProblems } from '../lib/problems.ts'
import type { ChannelForm } from './fields.tsx'
import { formField } from './form-values.ts'

/** Shows a refusal at the fields of the form that it names; false: not all of it has one. */
export const showChannelError = (form: ChannelForm, error: unknown): boolean =>
  showProblems(form, error, (field) => formField(field.replace(/^channel\./, '')))
