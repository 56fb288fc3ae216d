import type { AccountView, AuditEntry } from '../../ports/admin.ts'
import type {
  AccountFilter,
  AuditFilter,
  DayUsage,
  LedgerFilter,
  ListedEntry,
  ListedToken,
  ListedTokenFilter,
  ModelDayUsage,
  UsageFilter,
} from '../../ports/lists.ts'
import type { LedgerEntry } from '../../ports/records.ts'
import { addedDays } from '../../schema/records.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import { isOverdrawn, readCounted } from '../accounts.ts'
import { readAudit } from '../changes.ts'
import { selectLedger, selectListedLedger } from '../ledger.ts'
import { all, type Steps } from '../steps.ts'
import { readToken, readUsed, selectTokens, unused } from '../tokens.ts'
import { idsIn } from './reading.ts'
import {
  conditionsOf,
  contains,
  endOfIds,
  equals,
  type IdIndex,
  idsOf,
  type Key,
  type ListSource,
  type NameIndex,
  type Search,
  within,
} from './search.ts'

export async function searchLedger(filter: LedgerFilter, source: ListSource): Promise<Search> {
  const { accountId, kinds, since, until } = filter
  const index = indexOf(filter)
  const others = conditionsOf(
    index?.name === 'ledger_account' ? undefined : equals('account_id', accountId),
    kinds && sql`kind IN (${sql.join(kinds)})`,
    within('created_at', filter),
  )
  const ids =
    kinds?.length === 0 ? { from: 0, to: 0 } : await idsIn(source, 'ledger', { since, until })
  return { table: 'ledger', id: 'id', index, others, ...ids }
}

function indexOf({ accountId, kinds }: LedgerFilter): IdIndex | undefined {
  if (kinds !== undefined && !kinds.includes('charge')) {
    return { name: 'ledger_by_hand', where: sql`kind <> 'charge'` }
  }
  if (accountId === undefined) return undefined
  return { name: 'ledger_account', where: sql`account_id = ${accountId}` }
}

/** Newest first. */
export const readEntries = (keys: readonly Key[]): Steps<readonly ListedEntry[]> =>
  all(
    sql<ListedEntry>`${selectListedLedger} WHERE ledger.id IN (${idsOf(keys)})
      ORDER BY ledger.id DESC`,
  )

/** For an export, oldest first. */
export const readBareEntries = (keys: readonly Key[]): Steps<readonly LedgerEntry[]> =>
  all(sql<LedgerEntry>`${selectLedger} WHERE ledger.id IN (${idsOf(keys)}) ORDER BY ledger.id`)

export function searchAccounts({
  search,
  role,
  status,
  isOverdrawn: isOwing,
}: AccountFilter): Search {
  const others = conditionsOf(
    sql`deleted_at IS NULL`,
    equals('role', role),
    equals('status', status),
    isOwing ? isOverdrawn : undefined,
    contains(['email'], search),
  )
  const names: NameIndex = {
    ...{ name: 'account_email', column: 'email', where: sql`deleted_at IS NULL` },
  }
  return { table: 'account', id: 'id', names, others, from: 0, to: endOfIds }
}

export const readAccounts = (keys: readonly Key[]): Steps<readonly AccountView[]> =>
  readCounted(sql`AND account.id IN (${idsOf(keys)})`, 'desc')

export function searchAudit(filter: AuditFilter): Search {
  const { actor, action, subject } = filter
  const others = conditionsOf(
    equals('actor', actor),
    action ? sql`substr(action, 1, ${[...action].length}) = ${action}` : undefined,
    within('created_at', filter),
  )
  const index: IdIndex | undefined =
    subject === undefined ? undefined : { name: 'audit_subject', where: sql`subject = ${subject}` }
  return { table: 'audit', id: 'id', index, others, from: 0, to: endOfIds }
}

export const readEvents = (keys: readonly Key[]): Steps<readonly AuditEntry[]> =>
  readAudit(sql`WHERE id IN (${idsOf(keys)}) ORDER BY id DESC`)

export function searchTokens(filter: ListedTokenFilter): Search {
  const { accountId, group, status, search } = filter
  const ofAccount = sql`account_id = ${accountId} AND deleted_at IS NULL`
  const index: IdIndex | undefined =
    accountId === undefined ? undefined : { name: 'token_account', where: ofAccount }
  const names: NameIndex | undefined = index && { ...index, name: 'token_name', column: 'name' }
  const ofGroup = sql`SELECT id FROM "group" WHERE name = ${group} AND deleted_at IS NULL`
  const others = conditionsOf(
    sql`deleted_at IS NULL`,
    equals('status', status),
    group === undefined ? undefined : sql`group_id IN (${ofGroup})`,
    contains(['name', 'key_hint'], search),
  )
  return { table: 'token', id: 'id', index, names, others, from: 0, to: endOfIds }
}

/** These live tokens, newest first, with what was spent with them by a UTC day. */
export function* readTokens(keys: readonly Key[], day: string): Steps<readonly ListedToken[]> {
  const rows = yield* all(
    selectTokens(sql`AND token.id IN (${idsOf(keys)}) ORDER BY token.id DESC`),
  )
  const used = yield* readUsed(
    keys.map(({ id }) => id),
    day,
  )
  return rows.map((row) => {
    const { keyHash: _, keySealed: __, ...token } = readToken(row)
    return { ...token, accountId: row.accountId, ...(used.get(row.id) ?? unused(day)) }
  })
}

const usualModels = 12

const sums = sql.raw(addedDays())

const inCode = sql`requests, failed, input_tokens as "inputTokens", output_tokens as "outputTokens",
  reasoning_tokens as "reasoningTokens", cache_read_tokens as "cacheReadTokens",
  cache_write_tokens as "cacheWriteTokens", cache_write_1h_tokens as "cacheWrite1hTokens",
  amount_nano as "amountNano",
  case when begun > 0 then round(1.0 * first_byte_ms / begun) end as "firstByteMs"`

/** All tokens have their own table of daily sums. */
function sourceOf({ accountId, tokenId, sinceDay, untilDay }: UsageFilter): Sql {
  const whose = [
    ...(accountId === undefined ? [] : [sql`token.account_id = ${accountId}`]),
    ...(tokenId === undefined ? [] : [sql`token.id = ${tokenId}`]),
  ]
  const days = [sql`day >= ${sinceDay}`, sql`day <= ${untilDay}`]
  if (whose.length === 0) return sql`usage_total where ${sql.join(days, sql` and `)}`
  return sql`token join usage_day on usage_day.token_id = token.id
    where ${sql.join([...whose, ...days], sql` and `)}`
}

/** Sums by day and model; all models but those that cost most are folded into one. */
export function* readUsage(filter: UsageFilter): Steps<readonly ModelDayUsage[]> {
  const rows = yield* all(
    sql<Omit<ModelDayUsage, 'isOther'> & { isOther: number }>`
      with each as materialized (
        select day, model, ${sums} from ${sourceOf(filter)} group by day, model
      ), top as (
        select model from each group by model
        order by sum(amount_nano) desc, sum(requests) desc, model
        limit ${filter.models ?? usualModels}
      ), folded as (
        select day, case when model in (select model from top) then model end as named, ${sums}
        from each group by day, named
      )
      select day, coalesce(named, 'other') as model,
        case when named is null then 1 else 0 end as "isOther", ${inCode}
      from folded order by day, "isOther", amount_nano desc, requests desc, model`,
  )
  return rows.map((row) => ({ ...row, isOther: row.isOther === 1 }))
}

export const readTotals = (sinceDay: string, untilDay: string): Steps<readonly DayUsage[]> =>
  all(
    sql<DayUsage>`
      with each as (select day, ${sums} from ${sourceOf({ sinceDay, untilDay })} group by day)
      select day, ${inCode} from each order by day`,
  )
