import type { Database } from 'bun:sqlite'
import type { Clock } from '../../../lib/clock.ts'
import type { Edit } from '../../ports/edits.ts'
import { addAudit } from '../audit.ts'
import type { Queries } from '../queries.ts'

/** What the parts of the edits work with. */
export interface EditParts {
  readonly db: Database
  readonly queries: Queries
  readonly clock: Clock
  /** Runs work on the database; its errors come out explained. */
  readonly access: <Result>(work: () => Result) => Promise<Result>
}

/** A change under way, and who makes it. */
export interface Change {
  readonly queries: Queries
  readonly now: number
  readonly edit: Edit
}

/** Makes a function that does `work` in a transaction of its own: all of it, its audit row too. */
export function inTransaction({ db, queries, clock, access }: EditParts) {
  return <Args extends readonly unknown[], Result>(
    work: (change: Change, ...args: Args) => Result,
  ) => {
    const transaction = db.transaction(work)
    return (edit: Edit, ...args: Args): Promise<Result> =>
      access(() => transaction.immediate({ queries, now: clock(), edit }, ...args))
  }
}

/** Leaves the audit row of a change; `subject` is what was changed, such as `token 3`. */
export function note(
  { queries, now, edit }: Change,
  action: string,
  subject: string,
  detail: { readonly [name: string]: unknown },
): void {
  addAudit(queries, { createdAt: now, actor: edit.actor, action, subject, detail })
}
