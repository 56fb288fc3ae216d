import type {
  Identity,
  IdentityRefusal,
  OpenedAccount,
  SignInAccount,
  WaysIn,
} from '../../ports/sign-in.ts'
import { findByAddress } from '../names.ts'
import { all, build, first, run, type Steps } from '../steps.ts'
import { findSecondFactor, selectPasskeys } from './factors.ts'
import { addAccount, findAccount, passwordProvider } from './passwords.ts'

function* addCredential(
  accountId: number,
  { provider, subject }: Pick<Identity, 'provider' | 'subject'>,
  now: number,
  passwordHash: string | null = null,
): Steps<void> {
  const times = { created_at: now, updated_at: now }
  const row = { account_id: accountId, provider, subject, password_hash: passwordHash, ...times }
  yield* run(build.insertInto('credential').values(row))
}

/** Undefined: there is an account with this address. Call it in a transaction. */
export function* openAccount(
  { passwordHash, ...account }: OpenedAccount,
  now: number,
): Steps<SignInAccount | undefined> {
  if ((yield* findByAddress(account.email)) !== undefined) return undefined
  const id = yield* addAccount(
    { ...account, email: account.email.toLowerCase(), isVouched: false },
    now,
  )
  yield* addCredential(id, { provider: passwordProvider, subject: String(id) }, now, passwordHash)
  return yield* findAccount({ id })
}

/** The account that an identity opens, linked or made where it may be. Call it in a transaction. */
export function* findAccountOf(
  identity: Identity,
  mayOpen: boolean,
  now: number,
): Steps<SignInAccount | IdentityRefusal> {
  const linked = yield* first(
    build
      .selectFrom('credential')
      .select('account_id as id')
      .where('provider', '=', identity.provider)
      .where('subject', '=', identity.subject),
  )
  const known = linked ?? (yield* findByAddress(identity.email))
  if (known === undefined && !mayOpen) return 'signup_disabled'
  // A stranger may have taken the address of an account first: both sides must have checked it.
  if (linked === undefined && known !== undefined) {
    const isSure = identity.isVerified && 'email_verified' in known && known.email_verified === 1
    if (!isSure) return 'account_not_linked'
  }
  const id =
    known?.id ??
    (yield* addAccount(
      { name: identity.name, email: identity.email.toLowerCase(), isVouched: identity.isVerified },
      now,
    ))
  const account = yield* findAccount({ id })
  if (account === undefined) return 'account_disabled'
  if (linked === undefined) yield* addCredential(id, identity, now)
  else if (identity.isVerified && account.email.toLowerCase() === identity.email.toLowerCase())
    yield* run(build.updateTable('account').set({ email_verified: 1 }).where('id', '=', id))
  return account
}

/** False: the account has not got it, or no other credential. Call it in a transaction. */
export function* unlink(accountId: number, provider: string): Steps<boolean> {
  const own = build.selectFrom('credential').select('provider').where('account_id', '=', accountId)
  const providers = (yield* all(own)).map((one) => one.provider)
  if (provider === passwordProvider || providers.length < 2) return false
  const credential = build.deleteFrom('credential').where('account_id', '=', accountId)
  return (yield* run(credential.where('provider', '=', provider))) > 0
}

export function* listWaysIn(accountId: number): Steps<WaysIn> {
  const credentials = yield* all(
    build.selectFrom('credential').selectAll().where('account_id', '=', accountId).orderBy('id'),
  )
  const passkeys = yield* all(selectPasskeys().where('account_id', '=', accountId))
  return {
    hasPassword: credentials.some(({ password_hash }) => password_hash !== null),
    hasSecondFactor: (yield* findSecondFactor(accountId))?.isOn ?? false,
    providers: credentials
      .filter(({ provider }) => provider !== passwordProvider)
      .map(({ provider, created_at }) => ({ provider, createdAt: created_at })),
    passkeys,
  }
}
