import { CallFailed } from './api.ts'
import { faultText } from './fault-text.ts'
import { shownLanguage } from './language.tsx'

/** What a form needs to show an error at a field. */
interface WithErrors<Field extends string> {
  setFieldError(field: Field, message: string): void
}

/**
 * Shows a refusal at the field that it names, one of a list (`models.2`) at the list; false when it
 * names none of this form: then it is to be shown as a whole.
 */
export function showAtField<Field extends string>(
  form: WithErrors<Field>,
  error: unknown,
  fields: Readonly<Record<string, Field>>,
): boolean {
  const named = (error instanceof CallFailed && error.field) || ''
  const field = fields[named] ?? fields[named.replace(/\.\d+$/, '')]
  if (field === undefined || !(error instanceof CallFailed)) return false
  // Beside its field an error need not name it.
  const start = `${named}: `
  const shown = faultText(error, shownLanguage())
  form.setFieldError(field, shown.startsWith(start) ? shown.slice(start.length) : shown)
  return true
}
