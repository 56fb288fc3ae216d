import type { DayUsage, ModelDayUsage, UsageFilter } from '../../ports/lists.ts'
import type { SqlValue } from '../thread.ts'
import type { Reader } from './reader.ts'

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

const sums = [
  ...counted.map((column) => `sum(${column}) AS ${column}`),
  ...known.map((column) => `iif(count(failed) = count(*), sum(${column}), NULL) AS ${column}`),
].join(', ')

const inCode = `requests, failed, input_tokens AS inputTokens, output_tokens AS outputTokens,
  reasoning_tokens AS reasoningTokens, cache_read_tokens AS cacheReadTokens,
  cache_write_tokens AS cacheWriteTokens, cache_write_1h_tokens AS cacheWrite1hTokens,
  amount_nano AS amountNano, iif(begun > 0, round(1.0 * first_byte_ms / begun), NULL) AS firstByteMs`

interface Source {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/**
 * The daily sums of all tokens have a table of their own. Of some tokens: for each, the days are
 * found by the key of the table.
 */
function sourceOf({ accountId, tokenId, sinceDay, untilDay }: UsageFilter): Source {
  const whose = [
    ...(accountId === undefined ? [] : [{ sql: 'token.account_id = ?', value: accountId }]),
    ...(tokenId === undefined ? [] : [{ sql: 'token.id = ?', value: tokenId }]),
  ]
  if (whose.length === 0) {
    return { sql: 'usage_total WHERE day >= ? AND day <= ?', values: [sinceDay, untilDay] }
  }
  const conditions = [...whose.map(({ sql }) => sql), 'day >= ?', 'day <= ?']
  return {
    sql:
      'token CROSS JOIN usage_day ON usage_day.token_id = token.id ' +
      `WHERE ${conditions.join(' AND ')}`,
    values: [...whose.map(({ value }) => value), sinceDay, untilDay],
  }
}

/** Sums by day and model; all models but those that cost most are folded into one. */
export async function readUsage(
  reader: Reader,
  filter: UsageFilter,
): Promise<readonly ModelDayUsage[]> {
  const { sql, values } = sourceOf(filter)
  const rows = await reader.all<Omit<ModelDayUsage, 'isOther'> & { isOther: number }>(
    `WITH each AS MATERIALIZED (SELECT day, model, ${sums} FROM ${sql} GROUP BY day, model),
      top AS (SELECT model FROM each GROUP BY model
        ORDER BY sum(amount_nano) DESC, sum(requests) DESC, model LIMIT ?),
      folded AS (SELECT day, iif(model IN top, model, NULL) AS named, ${sums}
        FROM each GROUP BY day, named)
    SELECT day, ifnull(named, 'other') AS model, named IS NULL AS isOther, ${inCode} FROM folded
    ORDER BY day, isOther, amount_nano DESC, requests DESC, model`,
    [...values, filter.models ?? usualModels],
  )
  return rows.map((row) => ({ ...row, isOther: row.isOther === 1 }))
}

/** Sums by day of all tokens. */
export function readTotals(
  reader: Reader,
  sinceDay: string,
  untilDay: string,
): Promise<readonly DayUsage[]> {
  const { sql, values } = sourceOf({ sinceDay, untilDay })
  return reader.all<DayUsage>(
    `WITH each AS (SELECT day, ${sums} FROM ${sql} GROUP BY day)
    SELECT day, ${inCode} FROM each ORDER BY day`,
    values,
  )
}
