import { sql } from 'kysely'
import type { FileFault, Page } from '../../ports/verification.ts'
import { all, type Steps } from '../../queries/steps.ts'
import { inPages, pause } from '../../queries/verification/paging.ts'
import type { Reading } from '../../queries/verification/verification.ts'

/** Column → table whose `id` it names. */
type Columns = Readonly<Record<string, string>>

const owners: Columns = { account_id: 'account', token_id: 'token', group_id: 'group' }

/**
 * What rows name without a constraint (see the migration), with the keys of the tables. An attempt's
 * request is left out: `readOddAttempts` looks for it, and knows more to tell.
 */
export const references: readonly {
  readonly table: string
  readonly keys: readonly string[]
  readonly columns: Columns
}[] = [
  {
    table: 'request',
    keys: ['id'],
    columns: { ...owners, channel_id: 'channel', price_id: 'model_price' },
  },
  { table: 'attempt', keys: ['request_row', 'position'], columns: { channel_id: 'channel' } },
  {
    table: 'reservation',
    keys: ['request_id'],
    columns: { ...owners, price_id: 'model_price' },
  },
  { table: 'ledger', keys: ['id'], columns: { account_id: 'account' } },
  { table: 'usage_day', keys: ['token_id', 'day', 'model'], columns: { token_id: 'token' } },
]

/** Most rows that are told of for each column: where so many are wrong, more of them tell no more. */
const maxRows = 1_000

/**
 * Rows that name one that does not exist. The pages of its files the server checks itself whenever it
 * reads them, and forbidden values it does not take.
 */
export async function* readReferenceFaults({ read }: Reading): AsyncGenerator<Page<FileFault>> {
  for (const { table, keys, columns } of references) {
    for (const [column, parent] of Object.entries(columns)) {
      const found = await read(() => selectDangling(table, keys, column, parent))
      for (const { rows } of inPages(found)) {
        const faults = rows.map(
          (one) => ({ kind: 'dangling', table, column, parent, ...one }) as const,
        )
        yield { rows: faults, looked: 0 }
      }
      yield { rows: [], looked: 0 }
      await pause()
    }
  }
}

function selectDangling(
  table: string,
  keys: readonly string[],
  column: string,
  parent: string,
): Steps<readonly { readonly row: string; readonly value: string }[]> {
  const row = sql.join(
    keys.map((key) => sql`${sql.lit(`${key} `)} || child.${sql.ref(key)}`),
    sql` || ', ' || `,
  )
  const value = sql`child.${sql.ref(column)}`
  return all(
    sql<{ row: string; value: string }>`
      SELECT ${row} AS "row", CAST(${value} AS text) AS value FROM ${sql.table(table)} AS child
      WHERE ${value} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${sql.table(parent)} AS parent WHERE parent.id = ${value})
      LIMIT ${sql.lit(maxRows)}`,
  )
}
