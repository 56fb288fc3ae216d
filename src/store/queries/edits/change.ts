import type { Clock } from '../../../lib/clock.ts'
import type { Edit } from '../../ports/edits.ts'
import { addAudit } from '../audit.ts'
import type { Engine } from '../engine.ts'
import type { Steps } from '../steps.ts'

/** What the parts of the edits work with. */
export interface EditParts {
  readonly engine: Engine
  readonly clock: Clock
}

/** When a change is made, and by whom. */
export interface Change {
  readonly now: number
  readonly edit: Edit
}

/** Makes a function that does `work` in a transaction of its own: all of it, its audit row too. */
export function inTransaction({ engine, clock }: EditParts) {
  return <Args extends readonly unknown[], Result>(
    work: (change: Change, ...args: Args) => Steps<Result>,
  ) =>
    (edit: Edit, ...args: Args): Promise<Result> =>
      engine.write(() => work({ now: clock(), edit }, ...args))
}

/** Leaves the audit row of a change; `subject` is what was changed, such as `token 3`. */
export function* note(
  { now, edit }: Change,
  action: string,
  subject: string,
  detail: { readonly [name: string]: unknown },
): Steps<void> {
  yield* addAudit({ createdAt: now, actor: edit.actor, action, subject, detail })
}
