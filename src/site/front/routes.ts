import { Elysia } from 'elysia'
import type { FrameSite } from '../../look/frame.ts'
import { languageOf } from '../../look/language.ts'
import { logoSvg } from '../../look/logo.ts'
import { accentsOf, usualAccent } from '../../look/tokens.ts'
import { respondPage } from '../page.ts'
import { respond, unavailable } from '../published.ts'
import { type AskerOf, orBusy } from '../turns.ts'
import type { createFrontPages } from './pages.ts'

interface FrontParts {
  readonly pages: Pick<ReturnType<typeof createFrontPages>, 'isOwn' | 'page' | 'sitemap'>
  readonly frame: () => FrameSite
  readonly askerOf: AskerOf
}

/** What every host that shows pages answers beside them. */
export const browserPaths = ['/favicon.svg', '/favicon.ico', '/robots.txt'] as const

const raw = { parse: 'none' } as const

/** `/`, and what browsers and search engines ask for by themselves. */
export function frontRoutes({ pages, frame, askerOf }: FrontParts) {
  const originOf = (request: Request) => frame().origin ?? new URL(request.url).origin
  return new Elysia({ name: 'site.front' })
    .get(
      '/',
      ({ request, server }) =>
        orBusy(async () => {
          const language = languageOf(request)
          const { origin } = new URL(request.url)
          const published = await pages.page(askerOf({ request, server }), language, origin)
          if (published === undefined) return unavailable('text/plain', nothingYet)
          return respondPage({
            ...{ request, published, language, logoUrl: frame().logoUrl, copies: true },
            anyImages: pages.isOwn(),
          })
        }),
      raw,
    )
    .get('/favicon.svg', () => favicon(frame()), raw)
    .get('/favicon.ico', () => moved(frame().logoUrl ?? '/favicon.svg'), raw)
    .get(
      '/robots.txt',
      async ({ request }) => {
        const { robotsText } = await import('./robots.ts')
        return text('text/plain', robotsText(originOf(request)))
      },
      raw,
    )
    .get(
      '/sitemap.xml',
      ({ request, server }) =>
        orBusy(async () => {
          const { origin } = new URL(request.url)
          const published = await pages.sitemap(askerOf({ request, server }), origin)
          if (published === undefined) return unavailable('text/plain', nothingYet)
          const response = await respond(request, published)
          if (response.status === 200)
            response.headers.set('content-type', 'application/xml; charset=utf-8')
          response.headers.set('cache-control', anHour)
          return response
        }),
      raw,
    )
}

const nothingYet = 'The page is not available at present. Try again in a minute.\n'

const anHour = 'public, max-age=3600'

const text = (type: string, body: string) =>
  new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': anHour },
  })

const moved = (location: string) =>
  new Response(null, { status: 302, headers: { location, 'cache-control': anHour } })

function favicon({ logoUrl, accent }: FrameSite): Response {
  if (logoUrl !== null) return moved(logoUrl)
  const { accent: ground, 'on-accent': mark } = accentsOf(accent ?? usualAccent).light
  return text('image/svg+xml', logoSvg({ ground, mark }))
}
