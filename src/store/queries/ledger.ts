import { type Adjusted, type Adjustment, WouldOverdraw, WriteRefused } from '../ports/admin.ts'
import type { LedgerEntry, Span } from '../ports/records.ts'
import { addAudit } from './audit.ts'
import { findAccountId, requireAccount } from './names.ts'
import {
  all,
  build,
  type Engine,
  first,
  type Position,
  pageSize,
  readPages,
  run,
  type Steps,
} from './steps.ts'

/** The newest ledger entries of a live account, newest last. Reads no others. */
export function* listLedger(account: string, limit: number): Steps<LedgerEntry[]> {
  const id = yield* findAccountId(account)
  if (id === undefined) return []
  const newest = yield* all(
    selectLedger().where('ledger.account_id', '=', id).orderBy('ledger.id', 'desc').limit(limit),
  )
  return newest.toReversed()
}

/** Ledger entries with the name of their account. */
export const selectLedger = () =>
  build
    .selectFrom('ledger')
    .innerJoin('account', 'account.id', 'ledger.account_id')
    .select([
      'ledger.id as id',
      'ledger.created_at as createdAt',
      'account.email as account',
      'ledger.kind as kind',
      'ledger.amount_nano as amountNano',
      'ledger.request_id as requestId',
      'ledger.reason as reason',
      'ledger.balance_after_nano as balanceAfterNano',
    ])

/** Ledger entries in the order in which they were made. */
export async function* exportLedger(engine: Engine, span: Span): AsyncGenerator<LedgerEntry> {
  const { since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = span
  const readPage = (after: Position) =>
    all(
      selectLedger()
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('ledger.created_at', 'ledger.id'), '>', tuple(after.createdAt, after.id)),
        )
        .where('ledger.created_at', '<', until)
        .orderBy('ledger.created_at')
        .orderBy('ledger.id')
        .limit(pageSize),
    )
  for await (const page of readPages(engine, since, readPage)) yield* page
}

/** A change of a balance by hand, with its ledger entry and audit row. Call it in a transaction. */
export function* adjustBalance(adjustment: Adjustment, now: number): Steps<Adjusted> {
  const { account, kind, amountNano, reason, idempotencyKey, actor } = adjustment
  const asker = `${kind} of account "${account}"`
  if (!Number.isSafeInteger(amountNano) || amountNano <= 0) {
    throw new WriteRefused(`${asker}: ${amountNano} nano-USD is not a whole number above 0`)
  }
  const accountId = yield* requireAccount(account, asker)
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
  const found = yield* first(
    build
      .selectFrom('account')
      .select(['balance_nano', 'credit_limit_nano'])
      .where('id', '=', accountId),
  )
  const { balance_nano, credit_limit_nano } = found ?? { balance_nano: 0, credit_limit_nano: 0 }
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
  yield* run(
    build.updateTable('account').set({ balance_nano: balanceNano }).where('id', '=', accountId),
  )
  const entry = {
    created_at: now,
    account_id: accountId,
    kind,
    amount_nano: signedNano,
    reason,
    idempotency_key: idempotencyKey,
    balance_after_nano: balanceNano,
  }
  const made = yield* first(build.insertInto('ledger').values(entry).returning('id'))
  const ledgerId = made?.id ?? 0
  const detail = { ledger_id: ledgerId, amount_nano: signedNano, reason }
  yield* addAudit({ createdAt: now, actor, action: `account.${kind}`, subject: account, detail })
  return { ledgerId, balanceNano, isRepeat: false }
}

function* findEarlier(accountId: number, idempotencyKey: string) {
  return yield* first(
    build
      .selectFrom('ledger')
      .select([
        'id as ledgerId',
        'kind',
        'amount_nano as amountNano',
        'balance_after_nano as balanceNano',
      ])
      .where('account_id', '=', accountId)
      .where('idempotency_key', '=', idempotencyKey),
  )
}
