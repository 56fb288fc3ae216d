import { ApiError } from './api-error.ts'
import type { Fault } from './faults.ts'

/** Something to be said about a field, such as `speaks.chat`; the message names it. */
export interface Remark {
  readonly field: string
  readonly message: string
  readonly fault?: Fault
}

/** Values that were checked by the rules of tollgate.yaml. Warnings: allowed, but odd. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value; readonly warnings: readonly Remark[] }
  | { readonly ok: false; readonly problems: readonly [Remark, ...Remark[]] }

/**
 * The value of what is right; throws a refusal that names the first field at fault and tells all
 * problems, in `data` each with its field. `prefix`: where in the body the values are.
 */
export function requireRight<Value>(checked: Checked<Value>, prefix = ''): Value {
  if (checked.ok) return checked.value
  const problems = checked.problems.map((one) => ({ ...one, field: prefix + one.field }))
  const message = problems.map((problem) => problem.message).join(' ')
  const [{ field, fault }] = checked.problems
  const at = field === '' ? {} : { field: prefix + field, fault }
  throw new ApiError('invalid_value', message, { ...at, data: { problems } })
}
