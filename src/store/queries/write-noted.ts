import type { Writes } from '../ports/admin.ts'
import { type Change, note } from './edits/change.ts'
import { differences, differingColumns } from './edits/differences.ts'
import type { Steps } from './steps.ts'
import { applyWrites } from './write.ts'
import { lookAt, type Sight } from './write-sights.ts'

/**
 * Applies a set of changes that somebody wants, and leaves an audit row for each thing that differs
 * afterwards. Call it in a transaction.
 */
export function* applyNoted(writes: Writes, change: Change): Steps<void> {
  const before = yield* lookAt(writes)
  yield* applyWrites(writes, change.now)
  const after = yield* lookAt(writes)
  for (const [subject, sight] of before) yield* noteChange(change, sight, after.get(subject))
  for (const [subject, sight] of after) {
    if (!before.has(subject)) yield* noteNew(change, sight)
  }
}

function* noteNew(change: Change, after: Sight): Steps<void> {
  if (after.kind !== 'price') {
    yield* note(change, `${after.kind}.create`, after.subject, after.made)
    return
  }
  if (isOfVendor(after)) return
  yield* note(change, 'price.set', after.subject, { from: null, to: after.columns })
}

function* noteChange(change: Change, before: Sight, after: Sight | undefined): Steps<void> {
  const { kind, subject } = before
  if (after === undefined) {
    yield* note(change, `${kind}.remove`, subject, before.gone)
    return
  }
  const changed = differingColumns(before.columns, after.columns)
  if (Object.keys(changed).length === 0) return
  if (kind !== 'price') {
    yield* note(change, `${kind}.set`, subject, differences(before.columns, changed))
    return
  }
  if (isOfVendor(before) && isOfVendor(after)) return
  const action = after.columns.unit === 'none' ? 'price.remove' : 'price.set'
  yield* note(change, action, subject, { from: before.columns, to: after.columns })
}

/** A list price comes by itself with a model that is offered, and changes with new versions. */
const isOfVendor = ({ columns }: Sight) => columns.source === 'vendor' && columns.unit !== 'none'
