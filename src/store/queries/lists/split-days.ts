import { utcDay } from '../../../lib/clock.ts'
import { createPauses } from '../../../lib/slices.ts'
import type { SplitFilter, TimeSums } from '../../ports/usage-split.ts'
import { addedDays } from '../../schema/records.ts'
import { sql } from '../../schema/sql.ts'
import { all, type Steps } from '../steps.ts'
import { type ListSource, lastId, read } from './search.ts'
import type { SplitRow } from './split-sums.ts'

const daySums = sql.raw(
  addedDays().replaceAll(/ AS (\w+)/g, (_, name: string) => ` AS "${camelCase(name)}"`),
)

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Sums rows of daily sums: no more than days times models, or tokens of one account. */
export function* fromDays({ accountId, by, since }: SplitFilter): Steps<readonly SplitRow[]> {
  const part = { model: 'model', account: 'token.account_id', token: 'token.id' }[by as 'model']
  const day = utcDay(since)
  const rows =
    accountId === undefined && by === 'model'
      ? sql`usage_total WHERE day >= ${day}`
      : sql`token JOIN usage_day ON usage_day.token_id = token.id
          WHERE ${accountId === undefined ? sql`TRUE` : sql`token.account_id = ${accountId}`} AND day >= ${day}`
  const found = yield* all(
    sql<Omit<SplitRow, 'time'> & { day: string }>`
      SELECT day, CAST(${sql.raw(part)} AS text) AS part, ${daySums} FROM ${rows}
      GROUP BY day, ${sql.raw(part)}`,
  )
  return found.map(({ day, ...row }) => ({ ...row, time: Date.parse(day) }))
}

/** Tokens whose daily sums are added up by one statement. */
const tokensPerStep = 100

/**
 * Days of the whole gateway by account: first what each cost in all, then the days of those that cost
 * most. All others are what is left of the sums of the gateway.
 */
export async function splitByAccount(source: ListSource, filter: SplitFilter) {
  const ranked = await rankAccounts(source, utcDay(filter.since))
  const top = [...ranked].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, filter.parts)
  const parts: SplitRow[] = []
  for (const [accountId] of top) {
    parts.push(...(await source.read(() => fromDays({ ...filter, accountId }))))
  }
  return {
    totals: await source.read(() => totalsSince(utcDay(filter.since))),
    parts,
    partCount: ranked.size,
    completeSince: null,
  }
}

/** What each account cost since a day, in steps. */
async function rankAccounts(source: ListSource, day: string): Promise<Map<number, number>> {
  const ranked = new Map<number, number>()
  const pause = createPauses()
  const end = await lastId(source, 'token', 'id')
  for (let from = 0; from < end; from += tokensPerStep) {
    const rows = await read(
      source,
      sql<{ id: number; amount: number }>`
        SELECT token.account_id AS id, sum(usage_day.amount_nano) AS amount
        -- SQLite keeps the order of a cross join: the days of each token are found by its key.
        FROM token CROSS JOIN usage_day
        WHERE usage_day.token_id = token.id AND token.id > ${from} AND token.id <= ${from + tokensPerStep} AND day >= ${day}
        GROUP BY token.account_id`,
    )
    for (const { id, amount } of rows) ranked.set(id, (ranked.get(id) ?? 0) + amount)
    await pause()
  }
  return ranked
}

function* totalsSince(day: string) {
  const rows = yield* all(
    sql<Omit<TimeSums, 'time'> & { day: string }>`
      SELECT day, ${daySums} FROM usage_total WHERE day >= ${day} GROUP BY day`,
  )
  return rows.map(({ day, ...sums }): TimeSums => ({ ...sums, time: Date.parse(day) }))
}
