import { dayMs } from '../../../lib/clock.ts'
import { createPauses } from '../../../lib/slices.ts'
import type { PartSums, SplitBy, SplitFilter, UsageSplit } from '../../ports/usage-split.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import { timeOf } from './reading.ts'
import { searchRequests } from './requests.ts'
import { type ListSource, read, selectOf, stepsOf } from './search.ts'
import { fromDays, splitByAccount } from './split-days.ts'
import { createSplitSums, type SplitRow } from './split-sums.ts'

/** Adding up ends after so many milliseconds; what is older is left out. */
const workMs = 1_500
const hourMs = 3_600_000

/** Usage of hours, or of days, told apart by one thing. */
export async function readSplit(source: ListSource, filter: SplitFilter): Promise<UsageSplit> {
  const { by, unit, accountId } = filter
  const isStored = unit === 'day' && (by === 'model' || by === 'account' || by === 'token')
  if (!isStored) return named(source, by, await fromRequests(source, filter))
  if (by === 'account' && accountId === undefined) {
    return named(source, by, await splitByAccount(source, filter))
  }
  const sums = createSplitSums()
  sums.add(await source.read(() => fromDays(filter)))
  return named(source, by, { ...sums.top(filter.parts), completeSince: null })
}

const columnsOf: Readonly<Record<SplitBy, string>> = {
  // As daily sums have it: clients make up names of models without a price.
  model: "CASE WHEN price_id IS NULL THEN '' ELSE coalesce(model, '') END",
  token: 'CAST(token_id AS text)',
  account: 'CAST(account_id AS text)',
  channel: "coalesce(CAST(channel_id AS text), '')",
  group: 'CAST(group_id AS text)',
}

const counted = sql.raw(`count(*) AS requests, count(cause) AS failed,
  sum(input_tokens) AS "inputTokens", sum(output_tokens) AS "outputTokens",
  sum(reasoning_tokens) AS "reasoningTokens", sum(cache_read_tokens) AS "cacheReadTokens",
  sum(cache_write_tokens) AS "cacheWriteTokens", sum(cache_write_1h_tokens) AS "cacheWrite1hTokens",
  sum(amount_nano) AS "amountNano", count(first_byte_ms) AS begun,
  coalesce(sum(first_byte_ms), 0) AS "firstByteMs"`)

/** Adds requests up in short steps, newest first. */
async function fromRequests(source: ListSource, filter: SplitFilter) {
  const { accountId, since, by, unit, parts } = filter
  const whose = accountId === undefined ? {} : { accountId }
  const search = await searchRequests({ ...whose, since }, source)
  const sums = createSplitSums()
  const pause = createPauses()
  const deadline = performance.now() + workMs
  const length = sql.lit(unit === 'hour' ? hourMs : dayMs)
  const columns = sql`created_at / ${length} * ${length} AS time, ${sql.raw(columnsOf[by])} AS part,
    ${counted}`
  let completeSince: number | null = null
  for await (const step of stepsOf(source, search, 'desc')) {
    const found = selectOf(source, search, step, columns)
    const rows = await read(source, sql<SplitRow>`${found} GROUP BY 1, 2`)
    sums.add(rows)
    await pause()
    if (performance.now() < deadline || step.isLast) continue
    completeSince = await timeOf(source, search, step.from)
    break
  }
  return { ...sums.top(parts), completeSince }
}

const nameTables: Readonly<Record<Exclude<SplitBy, 'model'>, Sql>> = {
  token: sql`SELECT id, name FROM token`,
  account: sql`SELECT id, email AS name FROM account`,
  channel: sql`SELECT id, name FROM channel`,
  group: sql`SELECT id, name FROM "group"`,
}

type Unnamed = Omit<UsageSplit, 'parts'> & { readonly parts: readonly SplitRow[] }

/** Names stay known when what they name is removed. */
async function named(source: ListSource, by: SplitBy, split: Unnamed): Promise<UsageSplit> {
  const ids = [...new Set(split.parts.map(({ part }) => part))].filter((part) => part !== '')
  const rows =
    by === 'model' || ids.length === 0
      ? []
      : await read(
          source,
          sql<{
            id: number
            name: string
          }>`${nameTables[by]} WHERE id IN (${sql.join(ids.map(Number))})`,
        )
  const names = new Map(rows.map(({ id, name }) => [String(id), name]))
  const parts = split.parts.map(
    (row): PartSums => ({ ...row, name: names.get(row.part) ?? row.part }),
  )
  return { ...split, parts }
}
