import type { Catalog } from '../../catalog/catalog.ts'
import { type Clock, utcDay } from '../../lib/clock.ts'
import type { Framing, Operation, Protocol } from '../../protocols/protocol.ts'
import { unauthenticated } from '../errors.ts'
import { type Authenticator, type Caller, checkCaller } from './authenticate.ts'
import { type AddressList, clientAddress, isListed, readCountries } from './client-address.ts'

export interface HttpCall {
  readonly request: Request
  /** The socket's peer address; looking it up costs, so it is lazy. */
  readonly peer: () => string
  readonly geminiPath: boolean
}

interface GatekeeperSettings {
  readonly trustedProxies: AddressList
  readonly countryHeader: string | null
  readonly geminiQueryKey: boolean
}

/** Identifies callers and checks them before a body is read. */
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
    identify(call: HttpCall): Caller | Promise<Caller> {
      const found = credential(call)
      if (found === undefined) throw unauthenticated('missing')
      return authenticator.identify(found.key, () => addressOf(call))
    },
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

interface Credential {
  readonly key: string
  readonly source: 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'query'
}

const bearer = /^bearer[ \t]+(\S+)[ \t]*$/i

/** The first header with a usable key; on `/v1beta` Gemini's comes first. */
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

export interface ModelCall extends HttpCall {
  readonly protocol: Protocol
  readonly operation: Operation
  readonly model?: string
  readonly stream?: boolean
  readonly framing: Framing
  readonly limitSilence: (seconds: number) => void
}

/** The query of a request, also of a URL that does not parse (its host comes from a header). */
export function queryOf({ url }: Pick<Request, 'url'>): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
}
