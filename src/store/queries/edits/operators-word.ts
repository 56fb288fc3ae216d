import { placesOf } from '../../../resources/resource.ts'
import { tokenFields } from '../../../resources/token.ts'
import type { TokenView } from '../../ports/admin.ts'
import { SetByOperator } from '../../ports/edits.ts'
import { selectAudit, toAuditEntry } from '../audit.ts'
import { build } from '../build.ts'
import { all, first, type Steps } from '../steps.ts'
import type { Change } from './change.ts'

type Values = { readonly [field: string]: unknown }

/** The fields that restrain a token, by their names in the audit. */
const names = new Map(
  placesOf(tokenFields).flatMap(({ field: { column, restrains } }) =>
    column && restrains ? [[column, restrains] as const] : [],
  ),
)

/** Whether a token may do more by one value than by another; null is without a limit. */
function isMore(field: string, value: unknown, than: unknown): boolean {
  if (field === 'status') return value === 'active' && than !== 'active'
  return than !== null && (value === null || Number(value) > Number(than))
}

/**
 * Refuses to the owner of a token what gives it more than somebody else has set by hand, or in the file:
 * the audit knows who did. `was` and `changed` are as it tells them.
 */
export function* keepOperatorsWord(
  { edit }: Change,
  { id, account: owner }: Pick<TokenView, 'id' | 'account'>,
  { was, changed }: { readonly was: Values; readonly changed: Values },
): Steps<void> {
  const more = Object.entries(changed).filter(
    ([field, to]) => names.has(field) && isMore(field, to, was[field]),
  )
  if (more.length === 0 || edit.actor !== owner) return
  const account = build.selectFrom('account').select('role').where('email', '=', owner)
  if ((yield* first(account.where('deleted_at', 'is', null)))?.role === 'admin') return
  const about = selectAudit().where('subject', '=', `token ${id}`)
  const rows = yield* all(about.where('action', 'in', ['token.create', 'token.set']))
  const entries = rows.map(toAuditEntry).sort((a, b) => b.id - a.id)
  for (const [field, to] of more) {
    let before = was[field]
    for (const { actor, action, detail } of entries) {
      const change = detail[field] as { readonly from: unknown; readonly to: unknown } | undefined
      const isOwn = actor === owner
      const set = action === 'token.create' ? before : change?.to
      if (!isOwn && set !== undefined && isMore(field, to, set)) {
        throw new SetByOperator(`${names.get(field)} was set by an operator: ask for more there`)
      }
      if (!isOwn && set !== undefined) break
      if (action === 'token.set' && change) before = change.from
    }
  }
}
