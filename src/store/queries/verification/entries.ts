import { sql } from 'kysely'
import type { CheckedEntry, Extent, OddSum, Page } from '../../ports/verification.ts'
import { all, first, type Steps } from '../steps.ts'
import { inPages, pageRows, pause } from './paging.ts'
import type { Reading } from './verification.ts'

interface Place {
  readonly account: number
  readonly id: number
}

// An entry and its account's balance come in one statement, so the balance that comes with an
// account's last entry is the one that this entry made, whatever is charged meanwhile.
const selectEntries = ({ account, id }: Place, firstEntry: number) => sql<Stored>`
SELECT ledger.id, ledger.account_id AS "accountId", account.email, ledger.kind,
  ledger.amount_nano AS "amountNano", ledger.balance_after_nano AS "balanceAfterNano",
  ledger.request_id AS "requestId", CASE WHEN request.id IS NULL THEN 0 ELSE 1 END AS "hasRequest",
  account.balance_nano AS "balanceNano"
FROM ledger
LEFT JOIN account ON account.id = ledger.account_id
LEFT JOIN request ON request.request_id = ledger.request_id
WHERE (ledger.account_id, ledger.id) > (${account}, ${id}) AND ledger.id >= ${firstEntry}
ORDER BY ledger.account_id, ledger.id LIMIT ${sql.lit(pageRows)}`

type Stored = Omit<CheckedEntry, 'hasRequest' | 'beforeNano'> & { readonly hasRequest: number }

/** Entries of one account after the other, with the balance that each account had before. */
export async function* readEntries(
  { read }: Reading,
  extent: Extent,
): AsyncGenerator<Page<CheckedEntry>> {
  let place: Place = { account: Number.MIN_SAFE_INTEGER, id: 0 }
  while (true) {
    const from = place
    const rows = await read(() => readPage(from, extent))
    yield { rows, looked: rows.length }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    place = { account: last.accountId, id: last.id }
    await pause()
  }
}

function* readPage(place: Place, extent: Extent): Steps<CheckedEntry[]> {
  const found = yield* all(selectEntries(place, extent.firstEntry))
  const isFirst = (row: Stored, at: number) =>
    row.accountId !== (found[at - 1]?.accountId ?? place.account)
  const before = yield* readBefore(found.filter(isFirst), extent)
  return found.map((row, at) => ({
    ...row,
    hasRequest: row.hasRequest === 1,
    beforeNano: isFirst(row, at) ? (before.get(row.accountId) ?? 0) : null,
  }))
}

/** Balances of the accounts before the first entries; what is before an extent never changes. */
function* readBefore(
  entries: readonly Stored[],
  { since, firstEntry }: Extent,
): Steps<ReadonlyMap<number, number | null>> {
  if (since === undefined || entries.length === 0) return new Map()
  const ids = entries.map(({ id }) => id)
  const rows = yield* all(
    sql<{ accountId: number; beforeNano: number | null }>`
      SELECT account_id AS "accountId", (
        SELECT balance_after_nano FROM ledger AS earlier
        WHERE earlier.account_id = ledger.account_id AND earlier.id < ${firstEntry}
        ORDER BY earlier.id DESC LIMIT 1
      ) AS "beforeNano" FROM ledger WHERE id IN (${sql.join(ids)})`,
  )
  return new Map(rows.map(({ accountId, beforeNano }) => [accountId, beforeNano]))
}

const selectBalances = (after: number, to: number, firstEntry: number) => sql<OddSum>`
SELECT * FROM (
  SELECT account.id AS "accountId", account.email, account.balance_nano AS "storedNano",
    coalesce((SELECT balance_after_nano FROM ledger WHERE account_id = account.id
      ORDER BY id DESC LIMIT 1), 0) AS "expectedNano"
  FROM account WHERE account.id > ${after} AND account.id <= ${to} AND NOT EXISTS (
    SELECT 1 FROM ledger WHERE account_id = account.id AND id >= ${firstEntry}
  )
) AS balance WHERE "storedNano" <> "expectedNano"`

const accountStep = 20_000

/** Accounts without an entry in the extent: their balance is what their newest entry left. */
export async function* readOddBalances(
  { read }: Reading,
  { firstEntry }: Extent,
): AsyncGenerator<Page<OddSum>> {
  const newest = await read(() =>
    first(sql<{ id: number | null }>`SELECT max(id) AS id FROM account`),
  )
  for (let after = 0; after < (newest?.id ?? 0); after += accountStep) {
    const from = after
    yield* inPages(await read(() => all(selectBalances(from, from + accountStep, firstEntry))))
    await pause()
  }
}
