import type { AccountView, AuditEntry } from '../../ports/admin.ts'
import type { AccountFilter, AuditFilter, Listed, PageAsked } from '../../ports/lists.ts'
import { readAccounts, readAudit } from '../../queries/lists/people.ts'
import { beginsWith, conditionsOf, contains, equals, within } from './conditions.ts'
import { readPage } from './page.ts'
import type { Reader } from './reader.ts'
import { endOfIds, type Search } from './search.ts'
import { idsOf, readSteps } from './steps.ts'

/** Live accounts of a filter, newest first. */
export function listAccounts(
  reader: Reader,
  { search, role, status }: AccountFilter,
  page: PageAsked,
): Promise<Listed<AccountView>> {
  const others = conditionsOf(
    { sql: 'deleted_at IS NULL', values: [] },
    equals('role', role),
    equals('status', status),
    contains(['email'], search),
  )
  const where: Search = { table: 'account', id: 'id', others, from: 0, to: endOfIds }
  return readPage(reader, where, page, (keys) => readSteps(reader, readAccounts(idsOf(keys))))
}

/** What was changed by hand, newest first. */
export function listAudit(
  reader: Reader,
  filter: AuditFilter,
  page: PageAsked,
): Promise<Listed<AuditEntry>> {
  const { actor, action, subject } = filter
  const others = conditionsOf(
    equals('actor', actor),
    beginsWith('action', action),
    within('created_at', filter),
  )
  const index =
    subject === undefined
      ? undefined
      : { name: 'audit_subject', where: { sql: 'subject = ?', values: [subject] } }
  const where: Search = { table: 'audit', id: 'id', index, others, from: 0, to: endOfIds }
  return readPage(reader, where, page, (keys) => readSteps(reader, readAudit(idsOf(keys))))
}
