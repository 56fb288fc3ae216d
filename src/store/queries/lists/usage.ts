import { type RawBuilder, sql } from 'kysely'
import type { DayUsage, ModelDayUsage, UsageFilter } from '../../ports/lists.ts'
import { all, type Steps } from '../steps.ts'

const usualModels = 12

const counted = [
  'requests',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'amount_nano',
] as const

/** What days of a former version do not have, all three: where one is missing, no sum is known. */
const known = ['failed', 'begun', 'first_byte_ms'] as const

const sums = sql.join([
  ...counted.map((column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`),
  ...known.map(
    (column) =>
      sql`case when count(failed) = count(*) then sum(${sql.ref(column)}) end as ${sql.ref(column)}`,
  ),
])

const inCode = sql`requests, failed, input_tokens as "inputTokens", output_tokens as "outputTokens",
  reasoning_tokens as "reasoningTokens", cache_read_tokens as "cacheReadTokens",
  cache_write_tokens as "cacheWriteTokens", cache_write_1h_tokens as "cacheWrite1hTokens",
  amount_nano as "amountNano",
  case when begun > 0 then round(1.0 * first_byte_ms / begun) end as "firstByteMs"`

/**
 * The daily sums of all tokens have a table of their own. Of some tokens: for each, the days are
 * found by the key of the table.
 */
function sourceOf({ accountId, tokenId, sinceDay, untilDay }: UsageFilter): RawBuilder<unknown> {
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

/** Sums by day of all tokens. */
export const readTotals = (sinceDay: string, untilDay: string): Steps<readonly DayUsage[]> =>
  all(
    sql<DayUsage>`
      with each as (select day, ${sums} from ${sourceOf({ sinceDay, untilDay })} group by day)
      select day, ${inCode} from each order by day`,
  )
