import { isoTime } from '../../lib/format.ts'
import type { SignedIn } from '../access.ts'
import type { Outcome, SignInCore, SignInParts } from './core.ts'
import { createPasswords } from './hashing.ts'
import { createLimits, createRefusalWatch } from './limits.ts'
import { createOAuth } from './oauth.ts'
import { createPasskeys } from './passkey.ts'
import { createOwnPassword, createPasswordSignIn } from './password.ts'
import type { SignInProfile } from './schema.ts'
import { createSessions } from './sessions.ts'
import { createSetup } from './setup.ts'
import { createSecondFactors } from './totp.ts'

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(parts: SignInParts) {
  const { clock, settings, store } = parts
  const core: SignInCore = {
    ...parts,
    passwords: createPasswords(),
    sessions: createSessions(parts),
    limits: createLimits(clock),
    watchRefusals: createRefusalWatch(parts.log, clock),
  }
  const ownPassword = createOwnPassword(core)
  const factors = createSecondFactors(core, ownPassword)
  const setup = createSetup(core)

  async function profile({ accountId }: SignedIn): Promise<SignInProfile> {
    const ways = await store.waysIn(accountId)
    const { providers } = settings()
    return {
      has_password: ways.hasPassword,
      two_factor: ways.hasSecondFactor,
      providers: ways.providers.map(({ provider, createdAt }) => ({
        id: provider,
        name: providers.find(({ id }) => id === provider)?.name ?? provider,
        created_at: isoTime(createdAt),
      })),
      passkeys: ways.passkeys.map(({ id, name, createdAt }) => ({
        ...{ id: String(id), name, created_at: isoTime(createdAt ?? 0) },
      })),
    }
  }

  return {
    sessions: core.sessions,
    /** Throws unless the caller proves to own the session's account. */
    prove: ownPassword.prove,
    password: createPasswordSignIn(core, factors),
    factors,
    passkeys: createPasskeys(core),
    oauth: createOAuth(core),
    setup,

    async methods() {
      const { mayRegister, providers } = settings()
      return {
        registration_enabled: mayRegister,
        setup_open: await setup.isOpen(),
        providers: providers.map(({ id, name }) => ({ id, name })),
      }
    },

    profile,

    /** Returns the passkeys and providers that remain: an intruder may have added one. */
    async changePassword(
      ...[request, who, change]: Parameters<typeof ownPassword.change>
    ): Promise<Outcome<Pick<SignInProfile, 'passkeys' | 'providers'>>> {
      const cookies = await ownPassword.change(request, who, change)
      const { passkeys, providers } = await profile(who)
      return { data: { passkeys, providers }, cookies }
    },
  }
}
