import { Elysia } from 'elysia'
import type { Clock } from '../../lib/clock.ts'
import type { FrameSite } from '../../look/frame.ts'
import { languageOf } from '../../look/language.ts'
import { respondPage } from '../page.ts'
import { type Published, publish, respond } from '../published.ts'
import { type Asker, type AskerOf, inTurn, orBusy } from '../turns.ts'
import type { DocsSite } from './document.ts'
import type { DocsPage, DocsSource, PageQuestion } from './pages.ts'

/** What is used of a request's context. */
type Call = Parameters<AskerOf>[0]

interface DocsParts extends DocsSource {
  readonly site: () => DocsSite
  readonly frame: () => FrameSite
  readonly askerOf: AskerOf
  readonly clock: Clock
}

/** The documentation: the guide, the references, the search. Its parts are loaded on first use. */
export function docsRoutes(parts: DocsParts) {
  const { site, frame, askerOf, clock } = parts
  const about = (request: Request) => ({ docsSite: aboutSite(site(), request), site: frame() })
  const openApi = createOpenApi(parts)
  let pages: ReturnType<typeof loadPages> | undefined
  const loaded = () => {
    pages ??= loadPages(parts)
    return pages
  }
  const kept = createKept(clock)

  async function answer(call: Call, named?: string): Promise<Response> {
    const { request } = call
    const all = await loaded()
    const language = languageOf(request)
    const name = named ?? all.first()
    const question = { name, language, ...about(request) }
    const page = await kept(askerOf(call), question, () => all.page(question))
    return respondPage({
      ...{ request, language, published: page.published, hasForm: true, copies: true },
      ...{ logoUrl: question.site.logoUrl, status: page.isMissing ? 404 : 200 },
      ...(page.script !== undefined && { script: page.script }),
    })
  }

  async function search(call: Call): Promise<Response> {
    const { request } = call
    const all = await loaded()
    const language = languageOf(request)
    const query = (new URL(request.url).searchParams.get('q') ?? '').trim().slice(0, 100)
    const question = { name: 'search', language, ...about(request) }
    const published = await inTurn(askerOf(call), async () =>
      publish(await all.searchPage(question, query), undefined, clock()),
    )
    const { logoUrl } = question.site
    const known = { request, language, published, logoUrl }
    const response = await respondPage({ ...known, hasForm: true, copies: true })
    response.headers.set('x-robots-tag', 'noindex')
    return response
  }

  return new Elysia({ name: 'site.docs' })
    .get('/docs', ({ request, server }) => orBusy(() => answer({ request, server })), raw)
    .get('/docs/search', ({ request, server }) => orBusy(() => search({ request, server })), raw)
    .get(
      '/docs/json',
      ({ request, server }) =>
        orBusy(async () => respond(request, await openApi(askerOf({ request, server }), request))),
      raw,
    )
    .get(
      '/docs/:page',
      ({ request, server, params }) => orBusy(() => answer({ request, server }, params.page)),
      raw,
    )
}

const raw = { parse: 'none' } as const

const loadPages = async (parts: DocsSource) => {
  const { createDocsPages } = await import('./pages.ts')
  return createDocsPages(parts)
}

interface Made extends Omit<DocsPage, 'html'> {
  readonly published: Published
}

/** Keeps finished pages until the site is another; those that are not there are made each time. */
function createKept(clock: Clock) {
  let keptOf = ''
  const pages = new Map<string, Made>()
  return async (
    asker: Asker,
    { name, language, site, docsSite }: PageQuestion,
    make: () => DocsPage,
  ): Promise<Made> => {
    const of = JSON.stringify([site, docsSite])
    const key = `${language} ${name}`
    const find = () => (keptOf === of ? pages.get(key) : undefined)
    const build = async (): Promise<Made> => {
      const { html, ...page } = make()
      const published = await publish(html, pages.get(key)?.published, clock())
      if (keptOf !== of) pages.clear()
      keptOf = of
      if (!page.isMissing) pages.set(key, { published, ...page })
      return { published, ...page }
    }
    return find() ?? inTurn(asker, () => find() ?? build())
  }
}

/** The OpenAPI document, made again when the site is another. */
function createOpenApi({ app, consoleApi, site, schemas, requests, clock }: DocsParts) {
  let made: { readonly key: string; readonly json: Published } | undefined
  return async (asker: Asker, request: Request): Promise<Published> => {
    const about = aboutSite(site(), request)
    const key = JSON.stringify(about)
    const find = () => (made?.key === key ? made.json : undefined)
    const build = async (): Promise<Published> => {
      const { openApiDocument, placedOperations } = await import('./document.ts')
      const placed = placedOperations(app(), requests)
      const found = openApiDocument(placed, about, schemas(), await consoleApi())
      const json = await publish(`${JSON.stringify(found, null, 2)}\n`, made?.json, clock())
      made = { key, json }
      return json
    }
    return find() ?? inTurn(asker, () => find() ?? build())
  }
}

/** Without a configured address the examples use that of the request. */
function aboutSite(site: DocsSite, { url }: Request): DocsSite {
  return site.addresses.length > 0 ? site : { ...site, addresses: [new URL(url).origin] }
}
