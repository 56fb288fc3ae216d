import { Elysia } from 'elysia'
import { afterRest } from '../gateway/body/rest-of-body.ts'
import { pageNotFound } from '../gateway/errors.ts'
import type { NotOffered } from '../gateway/serve/published-paths.ts'
import type { modelRoutes } from '../gateway/serve/routes.ts'
import type { Logger } from '../lib/log.ts'
import type { createConsoleDoor } from './console/door.ts'
import type { createSite } from './site.ts'

interface HttpParts {
  readonly models: ReturnType<typeof modelRoutes>
  readonly notOffered: NotOffered
  readonly site: ReturnType<typeof createSite>
  readonly door: ReturnType<typeof createConsoleDoor>
  readonly log: Logger
  /** Called for requests without an endpoint, by cause; they are not logged. */
  readonly onRefused: (cause: string) => void
  /** True while the process stops, or has too many connections. */
  readonly closesConnections: () => boolean
}

/** The last host that was found good: nearly all requests name the same. */
let goodHost: string | undefined

/** Whether the host is usable in addresses. The server joins two Host lines with a comma. */
function hasGoodHost({ headers }: Request): boolean {
  const host = headers.get('host')
  if (host === null || host === goodHost) return true
  const isGood = /^[^\s/?#@\\,]+$/.test(host) && URL.canParse(`http://${host}`)
  if (isGood) goodHost = host
  return isGood
}

const badHost = () =>
  new Response('Send one Host header, with the name of a host.\n', { status: 400 })

/** Mounts all routes; the caller listens. */
export function createHttpApp(parts: HttpParts) {
  const { models, notOffered, site, door, log, closesConnections, onRefused } = parts
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(({ request, set }) => {
      if (closesConnections()) set.headers.connection = 'close'
      if (!hasGoodHost(request)) {
        onRefused('bad_host')
        return badHost()
      }
      return site.front(request) ?? (site.isHidden(request) ? pageNotFound() : undefined)
    })
    .onError(({ code, error, request, server }) => {
      if (code === 'NOT_FOUND') {
        const answer = notOffered({ request, server })
        if (answer === undefined) onRefused('page_not_found')
        return answer ?? afterRest(request, pageNotFound(), true)
      }
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
