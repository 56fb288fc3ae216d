import { type AccountWrite, type TokenWrite, WriteRefused } from '../ports/admin.ts'
import { build } from './build.ts'
import { requireOpenGroup } from './group-access.ts'
import { regionsText } from './json.ts'
import { limitsOf } from './limits.ts'
import { findAccountId, findByAddress, requireAccount, requireNamed } from './names.ts'
import { endSessionsOf, putPassword } from './sign-in/passwords.ts'
import { first, run, type Steps } from './steps.ts'

function* openAccount(account: AccountWrite, now: number): Steps<void> {
  const { email, role, status, openingNano, password } = account
  if (!Number.isSafeInteger(openingNano)) {
    throw new WriteRefused(
      `account "${email}": an opening balance of ${openingNano} nano-USD is not a whole number ` +
        'between -2^53 and 2^53',
    )
  }
  const row = {
    email,
    role,
    status,
    balance_nano: openingNano,
    credit_limit_nano: account.creditLimitNano ?? 0,
    balance_low_nano: account.balanceLowNano ?? null,
    ...(account.limits && limitsOf(account.limits)),
    regions: regionsText(account.regions ?? null),
    created_at: now,
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
  const { role, status, password, creditLimitNano, balanceLowNano, limits, regions } = account
  yield* run(
    build
      .updateTable('account')
      .set({
        role,
        status,
        ...(creditLimitNano !== undefined && { credit_limit_nano: creditLimitNano }),
        ...(balanceLowNano !== undefined && { balance_low_nano: balanceLowNano }),
        ...(limits && limitsOf(limits)),
        ...(regions !== undefined && { regions: regionsText(regions) }),
      })
      .where('id', '=', id),
  )
  if (password) yield* putPassword(id, password, now)
  // Who is let in again later signs in anew.
  if (status !== 'active') yield* endSessionsOf(id)
}

interface TokenContext {
  readonly now: number
  /** Tokens that the same write removes: their names are free. One that is in the way goes now. */
  readonly leaving: Set<number>
}

/** Marks a token as deleted; true when it was live. */
export function* deleteToken(id: number, now: number): Steps<boolean> {
  const query = build.updateTable('token').set({ deleted_at: now })
  return (yield* run(query.where('id', '=', id).where('deleted_at', 'is', null))) === 1
}

/** The live token with this key; refuses a key that another account uses. */
function* findOwnToken(token: TokenWrite, accountId: number, asker: string) {
  const found = yield* first(
    build
      .selectFrom('token')
      .select(['id', 'account_id', 'group_id'])
      .where('key_hash', '=', token.keyHash)
      .where('deleted_at', 'is', null),
  )
  if (found === undefined || found.account_id === accountId) return found
  throw new WriteRefused(`${asker}: its key is in use by another account; give it another key`)
}

/** Refuses a name that another live token of the account has. */
function* claimName(
  token: TokenWrite,
  { accountId, id, asker }: { accountId: number; id: number | undefined; asker: string },
  { now, leaving }: TokenContext,
): Steps<void> {
  const holder = yield* first(
    build
      .selectFrom('token')
      .select(['id', 'key_hint'])
      .where('account_id', '=', accountId)
      .where('name', '=', token.name)
      .where('deleted_at', 'is', null),
  )
  if (holder === undefined || holder.id === id) return
  if (leaving.delete(holder.id)) {
    yield* deleteToken(holder.id, now)
    return
  }
  throw new WriteRefused(
    `${asker}: the account has a token of that name with another key (id ${holder.id}, ` +
      `${holder.key_hint}); remove that one first, or choose another name`,
  )
}

/**
 * Creates or updates the token with this key. A deleted token's key may be given out again: that
 * makes a new token, and what was recorded stays with the old one.
 */
export function* writeToken(token: TokenWrite, context: TokenContext): Steps<void> {
  const asker = `token "${token.name}" of ${token.account}`
  const accountId = yield* requireAccount(token.account, asker)
  const groupId = yield* requireNamed('group', token.group, asker)
  const own = yield* findOwnToken(token, accountId, asker)
  const id = own?.id
  if (own?.group_id !== groupId) yield* requireOpenGroup(groupId, accountId, asker)
  yield* claimName(token, { accountId, id, asker }, context)
  const columns = {
    group_id: groupId,
    name: token.name,
    key_sealed: token.keySealed,
    key_hint: token.keyHint,
    status: token.status,
    models: JSON.stringify(token.models),
    ip_allow: JSON.stringify(token.ipAllow),
    strict: token.isStrict ? 1 : 0,
    expires_at: token.expiresAt,
    budget_total_nano: token.budget.totalNano,
    budget_day_nano: token.budget.dayNano,
    budget_month_nano: token.budget.monthNano,
    ...limitsOf(token.limits),
  }
  if (id !== undefined) {
    yield* run(build.updateTable('token').set(columns).where('id', '=', id))
    return
  }
  const owner = { account_id: accountId, key_hash: token.keyHash, created_at: context.now }
  yield* run(build.insertInto('token').values({ ...columns, ...owner }))
}
