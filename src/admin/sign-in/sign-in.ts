import { createLibraryCaller } from './call.ts'
import { createKnownDevices, createSessions } from './cookies.ts'
import { createElsewhere } from './elsewhere.ts'
import { createLimits, createRefusals, type SignInCore, type SignInParts } from './limits.ts'
import { createOwnAccount } from './own-account.ts'
import { createPasswords } from './passwords.ts'
import { createSetup } from './setup.ts'
import { createPasswordSignIn, createSecondStep } from './with-password.ts'

export type SignIn = ReturnType<typeof createSignIn>

/** Signing in to the console, wired. The sign-in library is loaded when somebody first signs in. */
export function createSignIn(parts: SignInParts) {
  const { store, clock, facts, settings } = parts
  const passwords = createPasswords()
  const sessions = createSessions({ ...parts, isSecure: facts.isSecure })
  const library = createLibraryCaller({ ...parts, records: store.records, passwords })
  const devices = createKnownDevices(parts)
  const limits = createLimits(clock)
  const refusals = createRefusals(parts)
  const core: SignInCore = { ...parts, passwords, sessions, library, limits, devices, refusals }
  const withPassword = createPasswordSignIn(core)
  const setup = createSetup(core)
  return {
    sessions,
    /** Throws for who is not the owner of the account that is signed in. */
    prove: withPassword.prove,
    withPassword,
    secondStep: createSecondStep(core),
    elsewhere: createElsewhere(core),
    own: createOwnAccount(core),
    setup,
    async methods() {
      const { mayRegister, providers } = settings()
      return {
        registration_enabled: mayRegister,
        setup_open: await setup.isOpen(),
        providers: providers.map(({ id, name }) => ({ id, name })),
      }
    },
  }
}
