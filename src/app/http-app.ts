import { Elysia } from 'elysia'
import { pageNotFound } from '../gateway/errors.ts'
import type { modelRoutes } from '../gateway/routes.ts'
import type { Logger } from '../lib/log.ts'
import type { createConsoleDoor } from './console/door.ts'
import type { createSite } from './site.ts'

export interface HttpParts {
  readonly models: ReturnType<typeof modelRoutes>
  readonly site: ReturnType<typeof createSite>
  readonly door: ReturnType<typeof createConsoleDoor>
  readonly log: Logger
  /** True when the process is about to stop. */
  readonly isDraining: () => boolean
}

/** Of two lines the server makes one; no name of a host has a comma in it. */
const hasTwoHosts = (request: Request) => request.headers.get('host')?.includes(',') ?? false

/** Of two, a proxy in front may have taken the other one. */
const twoHosts = () => new Response('Send one Host header.\n', { status: 400 })

/** All that is answered over HTTP, put together; the caller listens. */
export function createHttpApp({ models, site, door, log, isDraining }: HttpParts) {
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(({ request, set }) => {
      // A proxy that keeps connections must find none closed on which it has just sent a request.
      if (isDraining()) set.headers.connection = 'close'
      if (hasTwoHosts(request)) return twoHosts()
      return site.front(request) ?? (site.isHidden(request) ? pageNotFound() : undefined)
    })
    .onError(({ code, error }) => {
      if (code === 'NOT_FOUND') return pageNotFound()
      log.error('unhandled error', { code: String(code), error: String(error) })
      const body = {
        error: { message: 'The gateway failed.', type: 'api_error', code: 'internal' },
      }
      return Response.json(body, { status: 500 })
    })
    .use(models)
    .use(site.routes)
    .use(door.routes)
  return app.use(site.docs(() => app, door.api))
}
