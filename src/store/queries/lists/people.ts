import { sql } from 'kysely'
import type { AccountView, AuditEntry } from '../../ports/admin.ts'
import type { AccountFilter, AuditFilter, Listed, PageAsked } from '../../ports/lists.ts'
import { readCounted, selectWithTokenCount } from '../admin.ts'
import { selectAudit, toAuditEntry } from '../audit.ts'
import { isOverdrawn } from '../overdrawn.ts'
import { all, type Steps } from '../steps.ts'
import { beginsWith, conditionsOf, contains, equals, within } from './conditions.ts'
import { readPage } from './page.ts'
import { endOfIds, type IdIndex, idsOf, type Search } from './search.ts'
import type { ListSource } from './source.ts'

/** Live accounts of a filter, newest first. */
export function listAccounts(
  source: ListSource,
  { search, role, status, isOverdrawn: isOwing }: AccountFilter,
  page: PageAsked,
): Promise<Listed<AccountView>> {
  const others = conditionsOf(
    sql`deleted_at IS NULL`,
    equals('role', role),
    equals('status', status),
    isOwing ? isOverdrawn : undefined,
    contains(['email'], search),
  )
  const where: Search = { table: 'account', id: 'id', others, from: 0, to: endOfIds }
  return readPage(source, where, page, (keys) => source.read(() => readAccounts(idsOf(keys))))
}

/** What was changed by hand, newest first. */
export function listAudit(
  source: ListSource,
  filter: AuditFilter,
  page: PageAsked,
): Promise<Listed<AuditEntry>> {
  const { actor, action, subject } = filter
  const others = conditionsOf(
    equals('actor', actor),
    beginsWith('action', action),
    within('created_at', filter),
  )
  const index: IdIndex | undefined =
    subject === undefined ? undefined : { name: 'audit_subject', where: sql`subject = ${subject}` }
  const where: Search = { table: 'audit', id: 'id', index, others, from: 0, to: endOfIds }
  return readPage(source, where, page, (keys) => source.read(() => readAudit(idsOf(keys))))
}

/** The live accounts with these ids, newest first. */
export function* readAccounts(ids: readonly number[]): Steps<readonly AccountView[]> {
  const query = selectWithTokenCount().where('account.id', 'in', ids)
  return (yield* all(query.orderBy('account.id', 'desc'))).map(readCounted)
}

/** The audit rows with these ids, newest first. */
export function* readAudit(ids: readonly number[]): Steps<readonly AuditEntry[]> {
  const query = selectAudit().where('id', 'in', ids).orderBy('id', 'desc')
  return (yield* all(query)).map(toAuditEntry)
}
