import { Elysia } from 'elysia'
import { pageNotFound } from '../gateway/errors.ts'
import type { modelRoutes } from '../gateway/routes.ts'
import type { Logger } from '../lib/log.ts'
import type { createConsoleDoor } from './console/door.ts'
import type { createSite } from './site.ts'

/** All that is answered over HTTP, put together; the caller listens. */
export function createHttpApp(
  routes: ReturnType<typeof modelRoutes>,
  site: ReturnType<typeof createSite>,
  door: ReturnType<typeof createConsoleDoor>,
  log: Logger,
) {
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(
      ({ request }) => site.front(request) ?? (site.isHidden(request) ? pageNotFound() : undefined),
    )
    .onError(({ code, error }) => {
      if (code === 'NOT_FOUND') return pageNotFound()
      log.error('unhandled error', { code: String(code), error: String(error) })
      const body = {
        error: { message: 'The gateway failed.', type: 'api_error', code: 'internal' },
      }
      return Response.json(body, { status: 500 })
    })
    .use(routes)
    .use(site.routes)
    .use(door.routes)
  return app.use(site.docs(() => app, door.api))
}
