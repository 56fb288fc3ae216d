import { type Adjusted, type Adjustment, WouldOverdraw, WriteRefused } from '../ports/admin.ts'
import { addAudit } from './audit.ts'
import { build } from './build.ts'
import { requireAccount } from './names.ts'
import { first, run, type Steps } from './steps.ts'

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
