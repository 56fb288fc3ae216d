import { Elysia } from 'elysia'
import { failure, guardPage, respond } from '../published.ts'
import { languageOf } from './page/words.ts'
import type { StatusPages } from './pages.ts'

const nothingYet = 'The status is not available at present. Try again in a minute.'

/** Where the status is. */
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

/** Where the status page is. */
export const statusPagePath = '/status'

const refreshSeconds = 60

/** The status for people: one page of HTML, open to all, in the reader's language. */
export const statusPageRoutes = (pages: Pick<StatusPages, 'page'>) =>
  new Elysia({ name: 'site.status-page' }).get(
    statusPagePath,
    ({ request }) => answerPage(pages, request),
    { parse: 'none' },
  )

/** The page's answer to a GET or HEAD, whatever the path. `?refresh=off`: it stays as it is. */
export async function answerPage(
  pages: Pick<StatusPages, 'page'>,
  request: Request,
): Promise<Response> {
  const language = languageOf(request)
  const published = await pages.page(language)
  const response = published ? respond(request, published) : pageUnavailable()
  const { headers } = response
  if (response.status === 200) {
    headers.set('content-type', 'text/html; charset=utf-8')
    headers.set('content-language', language === 'zh' ? 'zh-Hans' : 'en')
  }
  headers.set('vary', 'accept-encoding, accept-language')
  guardPage(headers)
  const isStill = new URL(request.url).searchParams.get('refresh') === 'off'
  if (!isStill) headers.set('refresh', String(refreshSeconds))
  return response
}

const pageUnavailable = () =>
  new Response(`${nothingYet}\n`, {
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '60',
    },
  })
