import { build } from '../build.ts'
import { first, run, type Steps } from '../steps.ts'

/** Longer than any code of a moment is taken. */
const keptMs = 600_000

/** Takes a code: of several who use it at once, one gets it. Call it in a transaction. */
export function* takeCode(accountId: number, codeHash: string, now: number): Steps<boolean> {
  const own = build.deleteFrom('used_code').where('account_id', '=', accountId)
  yield* run(own.where('used_at', '<', now - keptMs))
  const row = { account_id: accountId, code_hash: codeHash, used_at: now }
  const taken = build.insertInto('used_code').values(row)
  const added = taken.onConflict((conflict) => conflict.doNothing()).returning('used_at')
  return (yield* first(added)) !== undefined
}
