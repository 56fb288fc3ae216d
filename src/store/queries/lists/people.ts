import type { AccountView, AuditEntry } from '../../ports/admin.ts'
import { readAccount, selectWithTokenCount } from '../admin.ts'
import { selectAudit, toAuditEntry } from '../audit.ts'
import { all, type Steps } from '../steps.ts'

/** The live accounts with these ids, newest first. */
export function* readAccounts(ids: readonly number[]): Steps<readonly AccountView[]> {
  const query = selectWithTokenCount().where('account.id', 'in', ids)
  return (yield* all(query.orderBy('account.id', 'desc'))).map(readAccount)
}

/** The audit rows with these ids, newest first. */
export function* readAudit(ids: readonly number[]): Steps<readonly AuditEntry[]> {
  const query = selectAudit().where('id', 'in', ids).orderBy('id', 'desc')
  return (yield* all(query)).map(toAuditEntry)
}
