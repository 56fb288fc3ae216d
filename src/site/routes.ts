import { Elysia } from 'elysia'
import { languageOf } from '../look/language.ts'
import { encodeFailure } from './feed/document.ts'
import { respondPage } from './page.ts'
import { failure, type Publication, respond, respondWith, unavailable } from './published.ts'
import type { StatusPages } from './status/pages.ts'

/** Both addresses of the feed: the main one and the backup. */
export const feedPaths = ['/pricing/provider-pricing.json', '/api/provider/pricing'] as const

/** The feed at both paths, without CORS headers: other pages must not read it. */
export function feedRoutes(feed: Pick<Publication, 'current' | 'ready'>) {
  const app = new Elysia({ name: 'site.feed' })
  const answer = ({ request }: { readonly request: Request }) =>
    request.method === 'GET' || request.method === 'HEAD'
      ? respondWith(request, feed, feedUnavailable)
      : wrongMethod()
  for (const path of feedPaths) app.all(path, answer, { parse: 'none' })
  return app
}

const wrongMethod = () =>
  new Response('405 method not allowed', {
    status: 405,
    headers: { allow: 'GET, HEAD', 'content-type': 'text/plain' },
  })

const feedUnavailable = () =>
  unavailable(
    'application/json',
    encodeFailure('The prices are not available at present. Try again in a minute.'),
  )

export const plazaPath = '/api/v1/model-plaza'

export interface PlazaCall {
  readonly request: Request
  readonly server: { requestIP(request: Request): { address: string } | null } | null
}

export interface PlazaRefusal {
  readonly status: number
  readonly message: string
  /** For the header `x-tollgate-reason`. */
  readonly reason: string
}

export interface PlazaParts {
  readonly plaza: Pick<Publication, 'current' | 'ready'>
  /** Read at each request: a switch works at once, not at the next snapshot. */
  readonly settings: () => { readonly isEnabled: boolean; readonly needsKey: boolean }
  /** Called only where a key is needed; undefined: admitted. */
  readonly refusalOf: (call: PlazaCall) => Promise<PlazaRefusal | undefined>
}

/** The model plaza: open to all, to callers with a key, or off. */
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
      // A shared cache must not serve an authenticated answer.
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

const nothingYet = 'The status is not available at present. Try again in a minute.'

export const statusPath = '/api/v1/status'

/** How well requests were answered, open to all; `?group=` names one group. */
export function statusRoutes(pages: Pick<StatusPages, 'current'>) {
  return new Elysia({ name: 'site.status' }).get(
    statusPath,
    async ({ request }) => {
      const published = await pages.current(new URL(request.url).searchParams.get('group'))
      if (published === 'unknown_group') return failure(404, 'There is no such group.')
      return published ? respond(request, published) : failure(503, nothingYet)
    },
    { parse: 'none' },
  )
}

export const statusPagePath = '/status'

const refreshSeconds = 60

/** The status for people: one page of HTML, open to all, in the reader's language. */
export const statusPageRoutes = (pages: Pick<StatusPages, 'page' | 'site'>) =>
  new Elysia({ name: 'site.status-page' }).get(
    statusPagePath,
    ({ request }) => answerPage(pages, request),
    { parse: 'none' },
  )

/** Answers a GET or HEAD with the page, whatever the path. `?refresh=off`: without reloads. */
export async function answerPage(
  pages: Pick<StatusPages, 'page' | 'site'>,
  request: Request,
): Promise<Response> {
  const language = languageOf(request)
  const published = await pages.page(language)
  const { logoUrl } = pages.site()
  const response = published
    ? await respondPage({ request, published, language, logoUrl })
    : unavailable('text/plain', `${nothingYet}\n`)
  const isStill = new URL(request.url).searchParams.get('refresh') === 'off'
  if (!isStill) response.headers.set('refresh', String(refreshSeconds))
  return response
}
