import type { Database } from 'bun:sqlite'
import type { CheckedEntry, Extent, OddSum, Page } from '../../ports/verification.ts'
import { inPages, pageRows, pause } from './paging.ts'

// An entry and its account's balance come in one statement, so the balance that comes with an
// account's last entry is the one that this entry made, whatever is charged meanwhile.
const selectEntries = `
SELECT ledger.id, ledger.account_id AS accountId, account.email, ledger.kind,
  ledger.amount_nano AS amountNano, ledger.balance_after_nano AS balanceAfterNano,
  ledger.request_id AS requestId, request.id IS NOT NULL AS hasRequest,
  account.balance_nano AS balanceNano
FROM ledger
LEFT JOIN account ON account.id = ledger.account_id
LEFT JOIN request ON request.request_id = ledger.request_id
WHERE (ledger.account_id, ledger.id) > ($account, $id) AND ledger.id >= $first
ORDER BY ledger.account_id, ledger.id LIMIT ${pageRows}`

const selectBefore = `
SELECT balance_after_nano AS balanceNano FROM ledger
WHERE account_id = ? AND id < ? ORDER BY id DESC LIMIT 1`

type Stored = Omit<CheckedEntry, 'hasRequest' | 'beforeNano'> & { readonly hasRequest: number }
type Place = { readonly account: number; readonly id: number; readonly first: number }

/** Entries of one account after the other, with the balance that each account had before. */
export async function* readEntries(
  db: Database,
  { firstEntry }: Extent,
): AsyncGenerator<Page<CheckedEntry>> {
  using statement = db.prepare<Stored, [Place]>(selectEntries)
  using before = db.prepare<{ balanceNano: number }, [number, number]>(selectBefore)
  let account = Number.MIN_SAFE_INTEGER
  let id = 0
  const toEntry = (row: Stored): CheckedEntry => {
    const isFirst = row.accountId !== account
    account = row.accountId
    id = row.id
    const beforeNano = isFirst ? (before.get(account, firstEntry)?.balanceNano ?? 0) : null
    return { ...row, hasRequest: row.hasRequest === 1, beforeNano }
  }
  while (true) {
    const rows = statement.all({ account, id, first: firstEntry }).map(toEntry)
    yield { rows, looked: rows.length }
    if (rows.length < pageRows) return
    await pause()
  }
}

const selectBalances = `
SELECT account.id AS accountId, account.email, account.balance_nano AS storedNano, ifnull((
  SELECT balance_after_nano FROM ledger WHERE account_id = account.id ORDER BY id DESC LIMIT 1
), 0) AS expectedNano
FROM account
WHERE storedNano <> expectedNano AND account.id > $after AND account.id <= $to AND NOT EXISTS (
  SELECT 1 FROM ledger WHERE account_id = account.id AND id >= $first
)`

const accountStep = 20_000

/** Accounts without an entry in the extent: their balance is what their newest entry left. */
export async function* readOddBalances(
  db: Database,
  { firstEntry: first }: Extent,
): AsyncGenerator<Page<OddSum>> {
  using statement = db.prepare<OddSum, [{ after: number; to: number; first: number }]>(
    selectBalances,
  )
  const last =
    db.query<{ id: number | null }, []>('SELECT max(id) AS id FROM account').get()?.id ?? 0
  for (let after = 0; after < last; after += accountStep) {
    yield* inPages(statement.all({ after, to: after + accountStep, first }))
    await pause()
  }
}
