import { Elysia } from 'elysia'
import type { Clock } from '../../lib/clock.ts'
import type { FrameSite } from '../../look/frame.ts'
import { type Language, languageOf } from '../../look/language.ts'
import { respondPage } from '../page.ts'
import { type Published, publish, respond } from '../published.ts'
import { inTurn, orBusy } from '../turns.ts'
import type { DocsSite } from './document.ts'
import type { DocsSource } from './pages.ts'

interface DocsParts extends DocsSource {
  readonly site: () => DocsSite
  readonly frame: () => FrameSite
  readonly clock: Clock
}

/** The documentation: the guide, the references, the search. Its parts are loaded on first use. */
export function docsRoutes(parts: DocsParts) {
  const { site, frame, clock } = parts
  const about = (request: Request) => ({ docsSite: aboutSite(site(), request), site: frame() })
  const openApi = createOpenApi(parts)
  let pages: ReturnType<typeof loadPages> | undefined
  const loaded = () => {
    pages ??= loadPages(parts)
    return pages
  }
  const kept = createKept(clock)

  async function answer(request: Request, named?: string): Promise<Response> {
    const all = await loaded()
    const language = languageOf(request)
    const name = named ?? all.first()
    const question = { name, language, ...about(request) }
    const page = await kept(question, () => all.page(question))
    return respondPage({
      ...{ request, language, published: page.published, hasForm: true, copies: true },
      ...{ logoUrl: question.site.logoUrl, status: page.isMissing ? 404 : 200 },
      ...(page.script !== undefined && { script: page.script }),
    })
  }

  async function search(request: Request): Promise<Response> {
    const all = await loaded()
    const language = languageOf(request)
    const query = (new URL(request.url).searchParams.get('q') ?? '').trim().slice(0, 100)
    const question = { name: 'search', language, ...about(request) }
    const published = await inTurn(async () =>
      publish(await all.searchPage(question, query), undefined, clock()),
    )
    const { logoUrl } = question.site
    const known = { request, language, published, logoUrl }
    const response = await respondPage({ ...known, hasForm: true, copies: true })
    response.headers.set('x-robots-tag', 'noindex')
    return response
  }

  return new Elysia({ name: 'site.docs' })
    .get('/docs', ({ request }) => orBusy(() => answer(request)), raw)
    .get('/docs/search', ({ request }) => orBusy(() => search(request)), raw)
    .get(
      '/docs/json',
      ({ request }) => orBusy(async () => respond(request, await openApi(request))),
      raw,
    )
    .get('/docs/:page', ({ request, params }) => orBusy(() => answer(request, params.page)), raw)
}

const raw = { parse: 'none' } as const

const loadPages = async (parts: DocsSource) => {
  const { createDocsPages } = await import('./pages.ts')
  return createDocsPages(parts)
}

interface Made {
  readonly published: Published
  readonly isMissing: boolean
  readonly script: string | undefined
}

interface Question {
  readonly name: string
  readonly language: Language
  readonly site: FrameSite
  readonly docsSite: DocsSite
}

/** Keeps finished pages until the site is another; those that are not there are made each time. */
function createKept(clock: Clock) {
  let keptOf = ''
  const pages = new Map<string, Made>()
  return async (
    { name, language, site, docsSite }: Question,
    make: () => { html: string; isMissing: boolean; script: string | undefined },
  ): Promise<Made> => {
    const of = JSON.stringify([site, docsSite])
    const key = `${language} ${name}`
    const known = pages.get(key)
    if (known && keptOf === of) return known
    const made = await inTurn(async () => {
      const { html, ...page } = make()
      return { published: await publish(html, known?.published, clock()), ...page }
    })
    if (keptOf !== of) pages.clear()
    keptOf = of
    if (!made.isMissing) pages.set(key, made)
    return made
  }
}

/** The OpenAPI document, made again when the site is another. */
function createOpenApi({ app, consoleApi, site, schemas, requests, clock }: DocsParts) {
  let made: { readonly key: string; readonly json: Published } | undefined
  return async (request: Request): Promise<Published> => {
    const about = aboutSite(site(), request)
    const key = JSON.stringify(about)
    if (made?.key === key) return made.json
    const { openApiDocument, placedOperations } = await import('./document.ts')
    const json = await inTurn(async () => {
      const placed = placedOperations(app(), requests)
      const found = openApiDocument(placed, about, schemas(), await consoleApi())
      return publish(`${JSON.stringify(found, null, 2)}\n`, made?.json, clock())
    })
    made = { key, json }
    return json
  }
}

/** Without a configured address the examples use that of the request. */
function aboutSite(site: DocsSite, { url }: Request): DocsSite {
  return site.addresses.length > 0 ? site : { ...site, addresses: [new URL(url).origin] }
}
