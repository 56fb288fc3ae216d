import { Elysia } from 'elysia'
import { type Publication, respondWith } from '../published.ts'
import { encodeFailure } from './document.ts'

/** Both addresses of the feed: the main one and the backup. */
export const feedPaths = ['/pricing/provider-pricing.json', '/api/provider/pricing'] as const

/**
 * The feed at both its paths, open to all (CONTRACT 4.8). Without CORS headers, on purpose: other
 * sites' pages are not to read it.
 */
export function feedRoutes(feed: Pick<Publication, 'current' | 'idle'>) {
  const app = new Elysia({ name: 'site.feed' })
  const answer = ({ request }: { readonly request: Request }) =>
    request.method === 'GET' || request.method === 'HEAD'
      ? respondWith(request, feed, unavailable)
      : wrongMethod()
  for (const path of feedPaths) app.all(path, answer, { parse: 'none' })
  return app
}

const wrongMethod = () =>
  new Response('405 method not allowed', {
    status: 405,
    headers: { allow: 'GET, HEAD', 'content-type': 'text/plain' },
  })

const unavailable = () =>
  new Response(encodeFailure('The prices are not available at present. Try again in a minute.'), {
    status: 503,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '60',
    },
  })
