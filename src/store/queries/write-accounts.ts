import { type AccountColumns, accountFields } from '../../resources/account.ts'
import { initialValues, toColumns } from '../../resources/resource.ts'
import { type AccountWrite, WriteRefused } from '../ports/admin.ts'
import { build } from './build.ts'
import { findAccountId, findByAddress } from './names.ts'
import { endSessionsOf, putPassword } from './sign-in/passwords.ts'
import { first, run, type Steps } from './steps.ts'

function* openAccount(account: AccountWrite, now: number): Steps<void> {
  const { email, openingNano, password } = account
  if (!Number.isSafeInteger(openingNano)) {
    throw new WriteRefused(
      `account "${email}": an opening balance of ${openingNano} nano-USD is not a whole number ` +
        'between -2^53 and 2^53',
    )
  }
  const row = {
    ...{ email, balance_nano: openingNano, created_at: now },
    // Of all fields, not of some.
    ...(toColumns(accountFields, {
      ...initialValues(accountFields),
      ...account,
    }) as AccountColumns),
  }
  const made = yield* first(build.insertInto('account').values(row).returning('id'))
  const id = made?.id
  if (id === undefined) throw new Error(`The account "${email}" was not stored.`)
  if (password) yield* putPassword(id, password, now)
  if (openingNano === 0) return
  const entry = {
    created_at: now,
    account_id: id,
    kind: 'opening' as const,
    amount_nano: openingNano,
    balance_after_nano: openingNano,
  }
  yield* run(build.insertInto('ledger').values(entry))
}

/** People write their address in capitals, too: two that differ in these only are one. */
function* requireFreeAddress(email: string): Steps<void> {
  const taken = yield* findByAddress(email)
  if (taken === undefined) return
  throw new WriteRefused(
    `account "${email}": there is an account "${taken.email}" already, and capital letters make no ` +
      'other address; write it as that one is written',
  )
}

/**
 * Refuses to give anything to an account that registered itself: whoever plans sets knows which these
 * are, but one may have come since.
 */
function* requireMeant(id: number, account: AccountWrite): Steps<void> {
  const row = yield* first(build.selectFrom('account').selectAll().where('id', '=', id))
  if (row === undefined || row.email_verified === 1) return
  const { email, role, password, creditLimitNano = row.credit_limit_nano } = account
  if (role === row.role && !password && creditLimitNano <= row.credit_limit_nano) return
  throw new WriteRefused(
    `account "${email}" registered itself, and nobody has vouched for its address ` +
      `(tollgate account set ${email} --vouch)`,
  )
}

/** Creates an account with its opening balance, or updates all of it but the balance. */
export function* writeAccount(account: AccountWrite, now: number): Steps<void> {
  const id = yield* findAccountId(account.email)
  if (id === undefined) {
    yield* requireFreeAddress(account.email)
    yield* openAccount(account, now)
    return
  }
  yield* requireMeant(id, account)
  const { status, password } = account
  const columns = toColumns(accountFields, account)
  yield* run(build.updateTable('account').set(columns).where('id', '=', id))
  if (password) yield* putPassword(id, password, now)
  // Who is let in again later signs in anew.
  if (status !== 'active') yield* endSessionsOf(id)
}
