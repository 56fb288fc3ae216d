import type {
  Identity,
  IdentityRefusal,
  SignInAccount,
  SignInStore,
  WaysIn,
} from '../../ports/sign-in.ts'
import { sql } from '../../schema/sql.ts'
import { findByAddress } from '../names.ts'
import { all, first, insert, run, type Steps, update } from '../steps.ts'
import { findSecondFactor, selectPasskeys } from './factors.ts'
import { addAccount, findAccount, passwordProvider, putPassword } from './passwords.ts'

/** Undefined: there is an account with this address. Call it in a transaction. */
export function* openAccount(
  { email, name, passwordHash }: Parameters<SignInStore['openAccount']>[0],
  now: number,
): Steps<SignInAccount | undefined> {
  if ((yield* findByAddress(email)) !== undefined) return undefined
  const id = yield* addAccount({ email: email.toLowerCase(), isVouched: false }, now, { name })
  yield* putPassword(id, { hash: passwordHash }, now)
  return yield* findAccount({ id })
}

/** The account that an identity opens, linked or made where it may be. Call it in a transaction. */
export function* findAccountOf(
  identity: Identity,
  mayOpen: boolean,
  now: number,
): Steps<SignInAccount | IdentityRefusal> {
  const { provider, subject, name, email, isVerified } = identity
  const linked = yield* first(
    sql<{ id: number }>`SELECT account_id AS id FROM credential
      WHERE provider = ${provider} AND subject = ${subject}`,
  )
  const named = linked === undefined ? yield* findByAddress(email) : undefined
  // A stranger may have registered the address first: both sides must have verified it.
  if (named !== undefined && !(isVerified && named.email_verified === 1))
    return 'account_not_linked'
  const known = linked ?? named
  if (known === undefined && !mayOpen) return 'signup_disabled'
  const own = { email: email.toLowerCase(), isVouched: isVerified }
  const id = known?.id ?? (yield* addAccount(own, now, { name }))
  const account = yield* findAccount({ id })
  if (account === undefined) return 'account_disabled'
  if (linked === undefined) {
    const row = { account_id: id, provider, subject, created_at: now, updated_at: now }
    yield* insert('credential', row)
  } else if (isVerified && account.email.toLowerCase() === own.email)
    yield* update('account', id, { email_verified: 1 })
  return account
}

/** False: the account has not got it, or no other credential. Call it in a transaction. */
export function* unlink(accountId: number, provider: string): Steps<boolean> {
  const providers = (yield* credentialsOf(accountId)).map((one) => one.provider)
  // One provider may have several credentials of the account: all are deleted.
  if (provider === passwordProvider || providers.every((one) => one === provider)) return false
  const removed = yield* run(
    sql`DELETE FROM credential WHERE account_id = ${accountId} AND provider = ${provider}`,
  )
  return removed > 0
}

const credentialsOf = (accountId: number) =>
  all(
    sql<{
      provider: string
      password_hash: string | null
      created_at: number
    }>`SELECT provider, password_hash, created_at FROM credential
      WHERE account_id = ${accountId} ORDER BY id`,
  )

export function* listWaysIn(accountId: number): Steps<WaysIn> {
  const credentials = yield* credentialsOf(accountId)
  const passkeys = yield* all(selectPasskeys(sql`account_id = ${accountId}`))
  return {
    hasPassword: credentials.some(({ password_hash }) => password_hash !== null),
    hasSecondFactor: (yield* findSecondFactor(accountId))?.isOn ?? false,
    providers: credentials
      .filter(({ provider }) => provider !== passwordProvider)
      .map(({ provider, created_at }) => ({ provider, createdAt: created_at })),
    passkeys,
  }
}
