import { Elysia } from 'elysia'
import { afterRest } from '../gateway/body/rest-of-body.ts'
import type { Context } from '../gateway/context.ts'
import { pageNotFound } from '../gateway/errors.ts'
import type { NotOffered } from '../gateway/serve/published-paths.ts'
import type { modelRoutes } from '../gateway/serve/routes.ts'
import type { Logger } from '../lib/log.ts'
import type { createConsoleDoor } from './console/door.ts'
import type { createSite } from './site.ts'

interface ModelAppParts {
  readonly models: ReturnType<typeof modelRoutes>
  readonly notOffered: NotOffered
  readonly log: Logger
  /** Called for requests without an endpoint, by cause; they are not logged. */
  readonly onRefused: (cause: string) => void
  /** True while the process stops, or has too many connections. */
  readonly closesConnections: () => boolean
  /** The page at the root of a host of its own; undefined: another host or path. */
  readonly front: (request: Request, server: Server) => Response | Promise<Response> | undefined
  /** Whether a host of its own does not serve this path. */
  readonly isHidden: (request: Request) => boolean
  /** Answers what is no path of a model; absent: other routes of this process do. */
  readonly passOn?: PassOn
}

type Server = Context['server']
type PassOn = (context: Pick<Context, 'request' | 'server'>) => Promise<Response>

/** The last host that was found good: nearly all requests name the same. */
let goodHost: string | undefined

/**
 * Whether the Host header can be used in addresses; the server joins two of them with a comma. A request without one
 * (HTTP/1.0) has no full URL to route by: only health checks are answered.
 */
function hasGoodHost({ headers, url }: Request): boolean {
  const host = headers.get('host')
  if (host === null) return isOfHealth.test(url) || URL.canParse(url)
  if (host === goodHost) return true
  const isGood = /^[^\s/?#@\\,]+$/.test(host) && URL.canParse(`http://${host}`)
  if (isGood) goodHost = host
  return isGood
}

const isOfHealth = /^(\w+:\/\/)?\/(livez|readyz)(\?|$)/

const badHost = () =>
  new Response('Send one Host header, with the name of a host.\n', { status: 400 })

/** An app with the model endpoints; the caller adds other routes, and listens. */
export function createModelApp(parts: ModelAppParts) {
  const { models, notOffered, log, closesConnections, onRefused, front, isHidden, passOn } = parts
  return new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onRequest(({ request, set, server }) => {
      if (closesConnections()) set.headers.connection = 'close'
      if (!hasGoodHost(request)) {
        onRefused('bad_host')
        return badHost()
      }
      return front(request, server) ?? (isHidden(request) ? pageNotFound() : undefined)
    })
    .onError(({ code, error, request, server }) => {
      if (code === 'NOT_FOUND') {
        const answer = notOffered({ request, server })
        if (answer !== undefined) return answer
        if (passOn && !isOfModels(request)) return passOn({ request, server })
        onRefused('page_not_found')
        return afterRest(request, pageNotFound(), true)
      }
      log.error('unhandled error', { code: String(code), error: String(error) })
      const body = {
        error: { message: 'The gateway failed.', type: 'api_error', code: 'internal' },
      }
      return Response.json(body, { status: 500 })
    })
    .use(models)
}

/** Whether a path is below `/v1` or `/v1beta`: there are model endpoints only. */
const isOfModels = ({ url }: Request) => /^\w+:\/\/[^/]*\/v1(beta)?(\/|$|[?#])/.test(url)

interface HttpParts extends Omit<ModelAppParts, 'front' | 'isHidden' | 'passOn'> {
  readonly site: ReturnType<typeof createSite>
  readonly door: ReturnType<typeof createConsoleDoor>
}

/** Mounts all routes; the caller listens. */
export function createHttpApp({ site, door, ...parts }: HttpParts) {
  const { front, isHidden } = site
  const app = createModelApp({ ...parts, front, isHidden })
    .use(site.routes)
    .use(door.routes)
  return app.use(site.docs(() => app, door.api))
}
