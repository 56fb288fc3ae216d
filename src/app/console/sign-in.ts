import type { RequestFacts } from '../../admin/sign-in/core.ts'
import { createSignIn } from '../../admin/sign-in/sign-in.ts'
import { clientAddress, compileAddressList, isListed } from '../../gateway/admit/client-address.ts'
import type { ConsoleParts, PeerOf } from './parts.ts'

/** Sign-in by the configuration in force. */
export function createConsoleSignIn(parts: ConsoleParts, peerOf: PeerOf) {
  const { config, store, secrets, log, clock, setupCode } = parts
  return createSignIn({
    ...{ store: store.signIn, secrets, log, clock, setupCode },
    settings: () => ({
      siteName: config().site.name,
      mayRegister: config().settings.registrationEnabled,
      providers: config().signIn.providers,
    }),
    facts: createRequestFacts(config, peerOf),
  })
}

/** Request facts that only the socket and trusted proxies may report. */
function createRequestFacts(config: ConsoleParts['config'], peerOf: PeerOf): RequestFacts {
  const peerAddress = (request: Request) => peerOf(request)?.address ?? ''
  let entries: readonly string[] = []
  let trusted = compileAddressList(entries)
  function trustedProxies() {
    const { trustedProxies: named } = config().server
    if (named !== entries) {
      entries = named
      trusted = compileAddressList(named)
    }
    return trusted
  }
  return {
    addressOf(request) {
      const forwardedFor = request.headers.get('x-forwarded-for')
      return clientAddress(peerAddress(request), forwardedFor, trustedProxies())
    },
    isSecure(request) {
      if (config().site.baseUrl?.startsWith('https:')) return true
      const told = request.headers.get('x-forwarded-proto')
      if (told === null || !isListed(peerAddress(request), trustedProxies())) return false
      // Of several values the nearest proxy wrote the last.
      return told.split(',').at(-1)?.trim().toLowerCase() === 'https'
    },
  }
}
