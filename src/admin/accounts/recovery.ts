import type { SignInStore } from '../../store/ports/sign-in.ts'
import type { Store } from '../../store/ports/store.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { checkNewPassword } from '../sign-in/hashing.ts'
import { findAccount } from './lists.ts'
import type { NewPassword, WaysIn } from './schema.ts'

interface RecoveryParts {
  readonly store: Pick<Store, 'edits'> & {
    readonly signIn: Pick<SignInStore, 'waysIn' | 'setPassword' | 'resetTwoFactor'>
  }
  /** Throws unless the caller proves to own the session's account. */
  readonly prove: (who: SignedIn, password: string | null) => Promise<void>
  readonly hash: (password: string) => Promise<string>
}

export type AccountRecovery = ReturnType<typeof createAccountRecovery>

/**
 * Lets the owner of an account in again who has lost the password or the second factor: for
 * administrators, who prove who they are. All sessions of the account end. On one's own account nothing
 * of it is allowed: an intruder could do without the password and the second factor there.
 */
export function createAccountRecovery({ store, prove, hash }: RecoveryParts) {
  const { edits, signIn } = store

  async function begin(who: SignedIn, id: number, password: string | null) {
    const account = await findAccount(edits, id)
    if (id === who.accountId)
      throw new ApiError(
        'not_allowed',
        "You can't do this on your own account: use your profile, or ask another administrator.",
        { fault: 'own_account' },
      )
    await prove(who, password)
    return account
  }

  async function waysIn(id: number): Promise<WaysIn> {
    await findAccount(edits, id)
    const { hasPassword, hasSecondFactor, passkeys, providers } = await signIn.waysIn(id)
    return {
      has_password: hasPassword,
      two_factor: hasSecondFactor,
      passkeys: passkeys.length,
      providers: providers.map(({ provider }) => provider),
    }
  }

  return {
    waysIn,
    /** Also removes passkeys and linked providers: an intruder may have added them. */
    async setPassword(who: SignedIn, id: number, { new_password, password }: NewPassword) {
      checkNewPassword(new_password, 'new_password')
      const { email } = await begin(who, id, password)
      const passwordHash = await hash(new_password)
      await signIn.setPassword({ account: email, passwordHash, actor: who.email })
      return waysIn(id)
    },
    async removeSecondFactor(who: SignedIn, id: number, password: string | null) {
      const { email } = await begin(who, id, password)
      await signIn.resetTwoFactor(email, who.email)
      return waysIn(id)
    },
  }
}
