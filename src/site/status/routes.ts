import { Elysia } from 'elysia'
import { respond } from '../published.ts'
import type { StatusPages } from './pages.ts'

/** Where the status is. */
export const statusPath = '/api/v1/status'

/** How well requests were answered, open to all; `?group=` names one group. */
export function statusRoutes(pages: Pick<StatusPages, 'current'>) {
  return new Elysia({ name: 'site.status' }).get(
    statusPath,
    async ({ request }) => {
      const published = await pages.current(new URL(request.url).searchParams.get('group'))
      if (published === 'unknown_group') return failure(404, 'There is no such group.')
      return published ? respond(request, published) : unavailable()
    },
    { parse: 'none' },
  )
}

function unavailable(): Response {
  const response = failure(503, 'The status is not available at present. Try again in a minute.')
  response.headers.set('retry-after', '60')
  return response
}

const failure = (code: number, message: string) =>
  Response.json({ code, message }, { status: code, headers: { 'cache-control': 'no-store' } })
