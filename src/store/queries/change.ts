import { accountFields } from '../../resources/account.ts'
import { toColumns } from '../../resources/resource.ts'
import type { AccountChange } from '../ports/admin.ts'
import { addAudit } from './audit.ts'
import { build } from './build.ts'
import { parseColumn } from './json.ts'
import { requireAccount } from './names.ts'
import { first, run, type Steps } from './steps.ts'

/** Changes what is named of an account, and nothing else. Call it in a transaction. */
export function* changeAccount(change: AccountChange, now: number): Steps<void> {
  const { account, actor } = change
  const id = yield* requireAccount(account, `change of account "${account}"`)
  const columns = { ...vouched(change), ...toColumns(accountFields, change) }
  const before = yield* first(build.selectFrom('account').selectAll().where('id', '=', id))
  const detail = differences(before ?? {}, columns)
  if (Object.keys(detail).length === 0) return
  yield* run(build.updateTable('account').set(columns).where('id', '=', id))
  yield* addAudit({ createdAt: now, actor, action: 'account.set', subject: account, detail })
}

/** Who makes somebody an administrator vouches for them. */
export const vouched = ({ role, isVouched }: Pick<AccountChange, 'role' | 'isVouched'>) =>
  role === 'admin' || isVouched ? { email_verified: 1 } : {}

/** Of the columns that are to be written, those that change: `{ role: { from, to } }`. */
function differences(
  before: { readonly [column: string]: unknown },
  columns: { readonly [column: string]: unknown },
) {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, to]) => {
      const from = before[column]
      return from === to ? [] : [[column, { from: shown(column, from), to: shown(column, to) }]]
    }),
  )
}

/** As people read it: a map, a flag. */
function shown(column: string, value: unknown): unknown {
  if (column === 'regions' && typeof value === 'string') return parseColumn<unknown>(value)
  return column === 'email_verified' ? value === 1 : value
}
