import { type Clock, utcDay } from '../lib/clock.ts'
import { type Authenticator, type Caller, checkCaller } from './authenticate.ts'
import { type AddressList, clientAddress } from './client-address.ts'
import { type Credential, readCredential } from './credentials.ts'
import { unauthenticated } from './errors.ts'
import { queryOf } from './query.ts'

/** A request as the routes hand it over. */
export interface HttpCall {
  readonly request: Request
  /** The socket's peer address; looked up only when somebody asks. */
  readonly peer: () => string
  /** A `/v1beta` path: Gemini's key header comes first. */
  readonly geminiPath: boolean
}

export interface GatekeeperSettings {
  readonly trustedProxies: AddressList
  readonly geminiQueryKey: boolean
}

/** Lets callers in: who they are, and the checks that come before a body is read. */
export interface Gatekeeper {
  credential(call: HttpCall): Credential | undefined
  /** The caller; throws the 401 of a missing or unknown key. */
  identify(call: HttpCall): Caller | Promise<Caller>
  /** Throws the first refusal of CONTRACT 1.3, up to the balance where that is needed. */
  check(caller: Caller, call: HttpCall, needsBalance: boolean): void
}

export function createGatekeeper(
  authenticator: Authenticator,
  clock: Clock,
  settings: () => GatekeeperSettings,
): Gatekeeper {
  const credential = (call: HttpCall) => {
    const { request, geminiPath } = call
    const query = geminiPath && settings().geminiQueryKey
    const queryKey = query ? (queryOf(request).get('key') ?? undefined) : undefined
    return readCredential(request.headers, geminiPath, queryKey)
  }
  return {
    credential,
    identify(call) {
      const found = credential(call)
      if (found === undefined) throw unauthenticated('missing')
      return authenticator.identify(found.key)
    },
    check(caller, call, needsBalance) {
      const address = () => {
        const forwardedFor = call.request.headers.get('x-forwarded-for')
        return clientAddress(call.peer(), forwardedFor, settings().trustedProxies)
      }
      const now = clock()
      checkCaller(caller, { now, today: utcDay(now), clientAddress: address, needsBalance })
    },
  }
}
