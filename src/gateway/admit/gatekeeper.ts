import type { Catalog } from '../../catalog/catalog.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import { unauthenticated } from '../errors.ts'
import { queryOf } from '../serve/query.ts'
import { type Authenticator, type Caller, checkCaller } from './authenticate.ts'
import { type AddressList, clientAddress, isListed } from './client-address.ts'
import { readCountries } from './client-countries.ts'
import { type Credential, readCredential } from './credentials.ts'

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
  /** The header in which these tell a client's country; null: none does. */
  readonly countryHeader: string | null
  readonly geminiQueryKey: boolean
}

/** Lets callers in: who they are, and the checks that come before a body is read. */
export interface Gatekeeper {
  credential(call: HttpCall): Credential | undefined
  /** The caller; throws the 401 of a missing or unknown key. */
  identify(call: HttpCall): Caller | Promise<Caller>
  /** Where a call comes from, by what trusted proxies say. */
  address(call: HttpCall): string
  /** Throws the first refusal of CONTRACT 1.3, up to the balance where that is needed. */
  check(caller: Caller, call: HttpCall, needsBalance: boolean): void
}

export function createGatekeeper(
  authenticator: Authenticator,
  clock: Clock,
  settings: () => GatekeeperSettings,
  groups: () => Catalog['groups'],
): Gatekeeper {
  const credential = (call: HttpCall) => {
    const { request, geminiPath } = call
    const query = geminiPath && settings().geminiQueryKey
    const queryKey = query ? (queryOf(request).get('key') ?? undefined) : undefined
    return readCredential(request.headers, geminiPath, queryKey)
  }
  const addressOf = ({ request, peer }: HttpCall) =>
    clientAddress(peer(), request.headers.get('x-forwarded-for'), settings().trustedProxies)
  return {
    credential,
    address: addressOf,
    identify(call) {
      const found = credential(call)
      if (found === undefined) throw unauthenticated('missing')
      return authenticator.identify(found.key, () => addressOf(call))
    },
    check(caller, call, needsBalance) {
      const countries = () => {
        const { countryHeader, trustedProxies } = settings()
        if (countryHeader === null || !isListed(call.peer(), trustedProxies)) return []
        return readCountries(call.request.headers.get(countryHeader))
      }
      const now = clock()
      checkCaller(caller, {
        now,
        today: utcDay(now),
        clientAddress: () => addressOf(call),
        clientCountries: countries,
        groupRegions: groups().get(caller.token.groupId)?.regions ?? null,
        needsBalance,
      })
    },
  }
}
