import { Elysia } from 'elysia'
import { failure, type Publication, respondWith } from '../published.ts'

/** Where the model plaza is. */
export const plazaPath = '/api/v1/model-plaza'

/** What a handler sees of a request. */
export interface PlazaCall {
  readonly request: Request
  readonly server: { requestIP(request: Request): { address: string } | null } | null
}

/** Why a caller may not see the plaza. */
export interface PlazaRefusal {
  readonly status: number
  readonly message: string
  /** Machine word, for the header `x-tollgate-reason`. */
  readonly reason: string
}

export interface PlazaParts {
  readonly plaza: Pick<Publication, 'current' | 'idle'>
  /** Read at each request: a switch works at once, not at the next snapshot. */
  readonly settings: () => { readonly isEnabled: boolean; readonly needsKey: boolean }
  /** Asked only where a key is needed; undefined: the caller has one that is good. */
  readonly refusalOf: (call: PlazaCall) => Promise<PlazaRefusal | undefined>
}

/** The model plaza: open to all, to callers with a key, or off (CONTRACT 5). */
export function plazaRoutes({ plaza, settings, refusalOf }: PlazaParts) {
  return new Elysia({ name: 'site.plaza' }).get(
    plazaPath,
    async (call) => {
      const { isEnabled, needsKey } = settings()
      if (!isEnabled) return failure(404, 'The model plaza is switched off.')
      const refusal = needsKey ? await refusalOf(call) : undefined
      if (refusal) return refuse(refusal)
      const response = await respondWith(call.request, plaza, () =>
        failure(503, 'The model plaza is not available at present. Try again in a minute.'),
      )
      // A cache must not hand on to everybody what was shown to a caller with a key.
      if (needsKey && response.status < 400)
        response.headers.set('cache-control', 'private, no-cache')
      return response
    },
    { parse: 'none' },
  )
}

function refuse({ status, message, reason }: PlazaRefusal): Response {
  const response = failure(status, message)
  response.headers.set('x-tollgate-reason', reason)
  return response
}
