import { CallFailed } from './api.ts'
import { faultText } from './error-text.ts'
import { shownLanguage } from './language.tsx'

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
  const shown = faultText(error, shownLanguage())
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
    form.setFieldError(fieldOf(problem.field), faultText(problem, shownLanguage()))
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
