import { type Adjusted, type Adjustment, WouldOverdraw, WriteRefused } from '../ports/admin.ts'
import type { ListedEntry } from '../ports/lists.ts'
import type { LedgerEntry, RequestRow, Span } from '../ports/records.ts'
import { selected } from '../schema/columns.ts'
import { sql } from '../schema/sql.ts'
import { addAudit } from './changes.ts'
import { findNamed, requireNamed } from './names.ts'
import { all, type Engine, first, insert, one, readPages, type Steps, update } from './steps.ts'

const fields = [
  ...['id', 'createdAt', 'kind', 'amountNano', 'requestId', 'reason', 'balanceAfterNano'],
]

const selectFields = sql`SELECT ${selected('ledger', fields)}, account.email AS account`
const fromLedger = sql`FROM ledger JOIN account ON account.id = ledger.account_id`

/** Ledger entries with the name of their account: a query up to its WHERE clause. */
export const selectLedger = sql<LedgerEntry>`${selectFields} ${fromLedger}`

/** The same with the model of a charge. */
export const selectListedLedger = sql<ListedEntry>`${selectFields},
  (SELECT model FROM request WHERE request.request_id = ledger.request_id) AS model ${fromLedger}`

/** The newest ledger entries of a live account, newest last. Reads no others. */
export function* listLedger(account: string, limit: number): Steps<LedgerEntry[]> {
  const id = yield* findNamed('account', account)
  if (id === undefined) return []
  const newest = yield* all(
    sql<LedgerEntry>`${selectLedger} WHERE ledger.account_id = ${id}
      ORDER BY ledger.id DESC LIMIT ${limit}`,
  )
  return newest.toReversed()
}

/** Ledger entries in the order in which they were made. */
export async function* exportLedger(engine: Engine, span: Span): AsyncGenerator<LedgerEntry> {
  for await (const page of readPages(engine, 'ledger', selectLedger, span)) yield* page
}

/** Throws for a charge that is no whole number of nano-USD. */
export function checkCharge({ requestId, amountNano }: RequestRow): void {
  if (Number.isSafeInteger(amountNano) && amountNano >= 0) return
  throw new RangeError(
    `Request ${requestId}: its charge is ${amountNano} nano-USD, but a charge is a ` +
      'whole number from 0 to 2^53 - 1.',
  )
}

/** A change of a balance by hand, with its ledger entry and audit row. Call it in a transaction. */
export function* adjustBalance(adjustment: Adjustment, now: number): Steps<Adjusted> {
  const { account, kind, amountNano, reason, idempotencyKey, actor } = adjustment
  const asker = `${kind} of account "${account}"`
  if (!Number.isSafeInteger(amountNano) || amountNano <= 0) {
    throw new WriteRefused(`${asker}: ${amountNano} nano-USD is not a whole number above 0`)
  }
  const accountId = yield* requireNamed('account', account, asker)
  const signedNano = kind === 'credit' ? amountNano : -amountNano
  const earlier =
    idempotencyKey === null ? undefined : yield* findEarlier(accountId, idempotencyKey)
  if (earlier) {
    if (earlier.amountNano !== signedNano || earlier.kind !== kind) {
      throw new WriteRefused(
        `${asker}: the key "${idempotencyKey}" was used for another change (ledger entry ` +
          `${earlier.ledgerId}); use a new key`,
      )
    }
    return { ledgerId: earlier.ledgerId, balanceNano: earlier.balanceNano, isRepeat: true }
  }
  const { balance_nano, credit_limit_nano } = yield* one(
    sql<{ balance_nano: number; credit_limit_nano: number }>`
      SELECT balance_nano, credit_limit_nano FROM account WHERE id = ${accountId}`,
  )
  const balanceNano = balance_nano + signedNano
  if (kind === 'debit' && adjustment.mayOverdraw === false && balanceNano < -credit_limit_nano) {
    throw new WouldOverdraw(
      `${asker}: the balance would be ${balanceNano} nano-USD, but its credit limit allows no ` +
        `less than ${-credit_limit_nano}`,
    )
  }
  if (!Number.isSafeInteger(balanceNano)) {
    throw new WriteRefused(`${asker}: the balance would leave the range that is counted exactly`)
  }
  yield* update('account', accountId, { balance_nano: balanceNano })
  const entry = {
    created_at: now,
    account_id: accountId,
    kind,
    amount_nano: signedNano,
    reason,
    idempotency_key: idempotencyKey,
    balance_after_nano: balanceNano,
  }
  const ledgerId = yield* insert('ledger', entry)
  const detail = { ledger_id: ledgerId, amount_nano: signedNano, reason }
  yield* addAudit({ createdAt: now, actor, action: `account.${kind}`, subject: account, detail })
  return { ledgerId, balanceNano, isRepeat: false }
}

const findEarlier = (accountId: number, idempotencyKey: string) =>
  first(
    sql<{ ledgerId: number; kind: string; amountNano: number; balanceNano: number }>`
      SELECT id AS "ledgerId", kind, amount_nano AS "amountNano",
        balance_after_nano AS "balanceNano" FROM ledger
      WHERE account_id = ${accountId} AND idempotency_key = ${idempotencyKey}`,
  )
