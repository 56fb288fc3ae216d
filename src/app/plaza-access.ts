import type { Gatekeeper } from '../gateway/admit/gatekeeper.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { PlazaCall, PlazaRefusal } from '../site/plaza/routes.ts'

/** Lets callers with a valid key see the plaza, as the gateway would let them in; balance apart. */
export function createPlazaAccess(gatekeeper: Gatekeeper) {
  return async ({ request, server }: PlazaCall): Promise<PlazaRefusal | undefined> => {
    const peer = () => server?.requestIP(request)?.address ?? ''
    const call = { request, peer, geminiPath: false }
    try {
      gatekeeper.check(await gatekeeper.identify(call), call, false)
      return undefined
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return { status: error.status, message: error.message, reason: error.word }
    }
  }
}
