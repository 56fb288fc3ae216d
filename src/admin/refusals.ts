import { WriteRefused } from '../store/ports/admin.ts'
import {
  Conflict,
  GroupGone,
  InUse,
  NameTaken,
  NotKnown,
  NotThere,
  SetByOperator,
  TooMany,
} from '../store/ports/edits.ts'
import { ApiError, type ApiErrorReason, type Fault } from './api-error.ts'

/** A problem or warning about a field, such as `speaks.chat`; the message names it. */
export interface Remark {
  readonly field: string
  readonly message: string
  readonly fault?: Fault
  /** The value as the message shows it; absent where there is none or it is secret. */
  readonly value?: string
}

/** The result of applying the rules of tollgate.yaml. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value; readonly warnings: readonly Remark[] }
  | { readonly ok: false; readonly problems: readonly [Remark, ...Remark[]] }

/** The valid value; throws a refusal with all problems. `prefix`: where in the body the values are. */
export function requireRight<Value>(checked: Checked<Value>, prefix = ''): Value {
  if (checked.ok) return checked.value
  const problems = checked.problems.map((one) => ({ ...one, field: prefix + one.field }))
  const message = problems.map((problem) => problem.message).join(' ')
  const [{ field, fault }] = checked.problems
  const at = field === '' ? {} : { field: prefix + field, fault }
  throw new ApiError('invalid_value', message, { ...at, data: { problems } })
}

interface Explained {
  /** The field that a refusal names by default. */
  readonly field?: string
  /** Reads the present state for the body of a conflict. */
  readonly present?: () => Promise<unknown>
}

/** Runs a change of the store; turns the store's refusal into an `ApiError`. */
export async function edit<Result>(
  work: () => Promise<Result>,
  { field, present }: Explained = {},
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error
    const at = field === undefined ? {} : { field }
    const refusal = (reason: ApiErrorReason, details: ApiError['details'] = at) =>
      new ApiError(reason, sentence(error.message), details)
    if (error instanceof Conflict)
      throw refusal('conflict', { data: await present?.(), cause: error })
    if (error instanceof GroupGone) throw refusal('not_found', { fault: 'group_gone' })
    if (error instanceof NotThere) throw refusal('not_found')
    if (error instanceof NameTaken) throw refusal('name_taken')
    if (error instanceof SetByOperator) throw refusal('not_allowed', {})
    if (error instanceof InUse) throw refusal('in_use')
    if (error instanceof NotKnown)
      throw refusal('invalid_value', { field: namedBy[error.kind], fault: 'not_known' })
    if (error instanceof TooMany) throw refusal('invalid_value', { fault: 'too_many' })
    throw refusal('invalid_value', { ...at, cause: error })
  }
}

/** The field of a body that names another resource. */
const namedBy = { group: 'group', channel: 'channels' } as const

/** Throws `Conflict` if the resource has changed since the client read it. */
export function requireSeen(
  seen: string | undefined,
  { name, revision }: { readonly name: string; readonly revision: string },
  kind: 'channel' | 'group',
): void {
  if (seen === undefined || seen === revision) return
  throw new Conflict(`the ${kind} "${name}" has changed in the meantime`)
}

/** Messages of the store start in lower case without a full stop, for the command line. */
const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`
