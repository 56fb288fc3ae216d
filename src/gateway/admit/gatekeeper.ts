import type { Catalog } from '../../catalog/catalog.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Framing, Operation, Protocol } from '../../protocols/protocol.ts'
import { unauthenticated } from '../errors.ts'
import { type Authenticator, type Caller, checkCaller } from './authenticate.ts'
import { type AddressList, clientAddress, isListed, readCountries } from './client-address.ts'

/** A request as the routes hand it over. */
export interface HttpCall {
  readonly request: Request
  /** The socket's peer address; looked up only when somebody asks. */
  readonly peer: () => string
  /** A `/v1beta` path: Gemini's key header comes first. */
  readonly geminiPath: boolean
}

interface GatekeeperSettings {
  readonly trustedProxies: AddressList
  /** The header in which these tell a client's country; null: none does. */
  readonly countryHeader: string | null
  readonly geminiQueryKey: boolean
}

/** Lets callers in: who they are, and the checks that come before a body is read. */
export type Gatekeeper = ReturnType<typeof createGatekeeper>

export function createGatekeeper(
  authenticator: Authenticator,
  clock: Clock,
  settings: () => GatekeeperSettings,
  groups: () => Catalog['groups'],
) {
  const credential = (call: HttpCall) => {
    const { request, geminiPath } = call
    const query = geminiPath && settings().geminiQueryKey
    const queryKey = query ? (queryOf(request).get('key') ?? undefined) : undefined
    return readCredential(request.headers, geminiPath, queryKey)
  }
  const addressOf = (call: HttpCall) =>
    clientAddress(
      call.peer(),
      call.request.headers.get('x-forwarded-for'),
      settings().trustedProxies,
    )
  const countriesOf = (call: HttpCall) => {
    const { countryHeader, trustedProxies } = settings()
    if (countryHeader === null || !isListed(call.peer(), trustedProxies)) return []
    return readCountries(call.request.headers.get(countryHeader))
  }
  return {
    credential,
    address: addressOf,
    /** The caller; throws the 401 of a missing or unknown key. */
    identify(call: HttpCall): Caller | Promise<Caller> {
      const found = credential(call)
      if (found === undefined) throw unauthenticated('missing')
      return authenticator.identify(found.key, () => addressOf(call))
    },
    /** Throws the first refusal of CONTRACT 1.3, up to the balance where that is needed. */
    check(caller: Caller, call: HttpCall, needsBalance: boolean): void {
      const now = clock()
      checkCaller(caller, call, {
        now,
        today: utcDay(now),
        clientAddress: addressOf,
        clientCountries: countriesOf,
        groupRegions: groups().get(caller.token.groupId)?.regions ?? null,
        needsBalance,
      })
    },
  }
}

/** Which header the key came in; a Gemini reader wants its own list shape. */
interface Credential {
  readonly key: string
  readonly source: 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'query'
}

const bearer = /^bearer[ \t]+(\S+)[ \t]*$/i

/**
 * The key of a request: the first header with a usable form; on `/v1beta` Gemini's comes first
 * (CONTRACT 1.1).
 */
export function readCredential(
  headers: Headers,
  geminiFirst: boolean,
  queryKey?: string,
): Credential | undefined {
  const goog = headers.get('x-goog-api-key')?.trim()
  if (geminiFirst && goog) return { key: goog, source: 'x-goog-api-key' }
  const token = bearer.exec(headers.get('authorization') ?? '')?.[1]
  if (token) return { key: token, source: 'bearer' }
  const apiKey = headers.get('x-api-key')?.trim()
  if (apiKey) return { key: apiKey, source: 'x-api-key' }
  if (goog) return { key: goog, source: 'x-goog-api-key' }
  if (queryKey) return { key: queryKey, source: 'query' }
  return undefined
}

/** What a route knows of a request before its body is read. */
export interface ModelCall extends HttpCall {
  readonly protocol: Protocol
  readonly operation: Operation
  /** Gemini names its model and whether to stream in the path. */
  readonly model?: string
  readonly stream?: boolean
  readonly framing: Framing
  /** How long the connection may be silent, in seconds; 0: for ever. */
  readonly limitSilence: (seconds: number) => void
}

/** The query of a request. A URL that does not parse (its host comes from a header) has one, too. */
export function queryOf({ url }: Pick<Request, 'url'>): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
}
