import { Elysia } from 'elysia'
import { guardPage } from '../../page-headers.ts'
import { respond } from '../../published.ts'
import type { StatusPages } from '../pages.ts'
import { languageOf } from './language.ts'

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
  const response = published ? respond(request, published) : unavailable()
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

const unavailable = () =>
  new Response('The status is not available at present. Try again in a minute.\n', {
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '60',
    },
  })
