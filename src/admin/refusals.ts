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
import type { Fault } from './api-error.ts'
import { ApiError } from './api-error.ts'

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

interface Explained {
  /** The field of the request that a refusal without a better word is about. */
  readonly field?: string
  /** On a conflict: reads the present state, which goes with the answer. */
  readonly present?: () => Promise<unknown>
}

/** Does a change in the store; what the store refuses is answered with the status that fits. */
export async function edit<Result>(
  work: () => Promise<Result>,
  { field, present }: Explained = {},
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof WriteRefused)) throw error
    const at = field === undefined ? {} : { field }
    if (error instanceof Conflict) {
      const data = await present?.()
      throw new ApiError('conflict', sentence(error.message), { data, cause: error })
    }
    if (error instanceof GroupGone) {
      throw new ApiError('not_found', sentence(error.message), { fault: 'group_gone' })
    }
    if (error instanceof NotThere) throw new ApiError('not_found', sentence(error.message), at)
    if (error instanceof NameTaken) throw new ApiError('name_taken', sentence(error.message), at)
    if (error instanceof SetByOperator) throw new ApiError('not_allowed', sentence(error.message))
    if (error instanceof InUse) throw new ApiError('in_use', sentence(error.message), at)
    if (error instanceof NotKnown) {
      const named = { field: namedBy[error.kind], fault: 'not_known' } as const
      throw new ApiError('invalid_value', sentence(error.message), named)
    }
    if (error instanceof TooMany) {
      throw new ApiError('invalid_value', sentence(error.message), { fault: 'too_many' })
    }
    throw new ApiError('invalid_value', sentence(error.message), { ...at, cause: error })
  }
}

/** Where a body names other things: a token its group, a group its channels. */
const namedBy = { group: 'group', channel: 'channels' } as const

/** Throws `Conflict` unless what somebody has seen (absent: it does not matter) is what there is. */
export function requireSeen(
  seen: string | undefined,
  { name, revision }: { readonly name: string; readonly revision: string },
  kind: 'channel' | 'group',
): void {
  if (seen === undefined || seen === revision) return
  throw new Conflict(`the ${kind} "${name}" was changed by somebody else meanwhile`)
}

/** The store's words begin small and end without a full stop, as the command line wants them. */
const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`
