import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { columnsOf } from '../../resources/resource.ts'
import type { AuditEntry } from '../ports/admin.ts'
import { Conflict, type Edit } from '../ports/edits.ts'
import { parseColumn } from '../schema/columns.ts'
import { type Sql, sql } from '../schema/sql.ts'
import { all, insert, type Steps } from './steps.ts'

export type Values = { readonly [name: string]: unknown }

/** Adds an audit row. Call it in the transaction of the change. */
export function* addAudit(entry: Omit<AuditEntry, 'id'>): Steps<void> {
  const { createdAt, actor, action, subject } = entry
  const detail = JSON.stringify(entry.detail)
  yield* insert('audit', { created_at: createdAt, actor, action, subject, detail })
}

type AuditRow = Omit<AuditEntry, 'createdAt' | 'detail'> & { created_at: number; detail: string }

/** Audit rows; `rest` is the query from its WHERE clause on. */
export function* readAudit(rest: Sql): Steps<AuditEntry[]> {
  const rows = yield* all(sql<AuditRow>`SELECT * FROM audit ${rest}`)
  return rows.map(({ created_at, detail, ...row }) => ({
    ...row,
    createdAt: created_at,
    detail: parseColumn<AuditEntry['detail']>(detail),
  }))
}

export interface Change {
  readonly now: number
  readonly edit: Edit
}

/** Adds the audit row of a change; `subject` is what was changed, such as `token 3`. */
export function* note(
  { now, edit }: Change,
  action: string,
  subject: string,
  detail: Values,
): Steps<void> {
  yield* addAudit({ createdAt: now, actor: edit.actor, action, subject, detail })
}

/** Secret columns: the audit records only that they have changed. */
const secret = /_(sealed|mark)$/

const json: ReadonlySet<string> = new Set(
  [channelFields, groupFields, accountFields].flatMap((one) => columnsOf(one, 'isJson')),
)

/** Of the columns that are to be written, those that differ; empty: nothing changes. */
export function differingColumns<Columns extends object>(
  before: object,
  columns: Columns,
): Partial<Columns> {
  const present = before as Values
  const differing = Object.entries(columns).filter(
    ([column, to]) => to !== undefined && !Bun.deepEquals(present[column], to),
  )
  return Object.fromEntries(differing) as Partial<Columns>
}

/** What changes of a row, for the audit: `{ priority: { from, to } }`. */
export function differences(before: object, changed: object): Values {
  const present = before as Values
  return Object.fromEntries(
    Object.entries(changed).map(([column, to]) =>
      secret.test(column)
        ? [column.replace(secret, ''), to === null ? 'removed' : 'changed']
        : [column, { from: shown(column, present[column]), to: shown(column, to) }],
    ),
  )
}

const shown = (column: string, value: unknown): unknown =>
  json.has(column) && typeof value === 'string' ? parseColumn<unknown>(value) : value

type Cell = string | number | null | Uint8Array

/** A short hash over the editable columns of a row, which identifies its state. */
export function revisionOf<Row extends object>(row: Row, columns: readonly (keyof Row)[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const column of columns) {
    const value = row[column] as Cell | undefined
    hasher.update(`${value === null || value === undefined ? 'null' : typeof value}:`)
    hasher.update(value instanceof Uint8Array ? value : String(value))
    hasher.update('\0')
  }
  return hasher.digest('hex').slice(0, 16)
}

/** Throws `Conflict` when a change was made for another state than the present one. */
export function checkRevision(seen: string | undefined, present: string, what: string): void {
  if (seen !== undefined) checkSeen(seen, present, what)
}

/** The same for rows with ids; a revision is required. */
export function checkSeen<Id>(seen: Id, present: Id, what: string): void {
  if (seen === present) return
  throw new Conflict(`${what} has changed meanwhile; load it again, then change it`)
}
