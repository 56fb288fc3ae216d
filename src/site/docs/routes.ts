import { type AnyElysia, Elysia } from 'elysia'
import type { Clock } from '../../lib/clock.ts'
import { guardPage, type Published, publish, respond } from '../published.ts'
import type { JsonSchema } from '../schemas.ts'
import type { DocsSite, RequestSchemas } from './document.ts'

interface DocsParts {
  readonly app: () => AnyElysia
  readonly consoleApi: () => Promise<AnyElysia>
  readonly site: () => DocsSite
  /** Schemas that requests are checked by, and those that answers refer to, by name. */
  readonly requests: RequestSchemas
  readonly schemas: () => Readonly<Record<string, JsonSchema>>
  readonly clock: Clock
}

/** `/docs` for people, `/docs/json` (OpenAPI), `/docs/translation`. Loaded on first use. */
export function docsRoutes(parts: DocsParts) {
  const { app, consoleApi, site, schemas, clock } = parts
  let made: Docs | undefined
  const docs = async (request: Request): Promise<Docs> => {
    const about = aboutSite(site(), request)
    const key = JSON.stringify(about)
    if (made?.key === key) return made
    const { openApiDocument, placedOperations } = await import('./document.ts')
    const { docsPage } = await import('./page.ts')
    const placed = placedOperations(app(), parts.requests)
    const found = openApiDocument(placed, about, schemas(), await consoleApi())
    const json = `${JSON.stringify(found, null, 2)}\n`
    made = {
      key,
      json: await publish(json, made?.json, clock()),
      page: await publish(docsPage(about, placed), made?.page, clock()),
    }
    return made
  }
  let table: { readonly name: string; readonly page: Published } | undefined
  const translationDocs = async (): Promise<Published> => {
    const { name } = site()
    if (table?.name === name) return table.page
    const { translationPage } = await import('./page.ts')
    const page = await publish(translationPage(name), table?.page, clock())
    table = { name, page }
    return page
  }
  return new Elysia({ name: 'site.docs' })
    .get('/docs', async ({ request }) => asPage(respond(request, (await docs(request)).page)), raw)
    .get(
      '/docs/translation',
      async ({ request }) => asPage(respond(request, await translationDocs())),
      raw,
    )
    .get('/docs/json', async ({ request }) => respond(request, (await docs(request)).json), raw)
}

const raw = { parse: 'none' } as const

interface Docs {
  readonly key: string
  readonly json: Published
  readonly page: Published
}

/** Without a configured address the examples use that of the request. */
function aboutSite(site: DocsSite, { url }: Request): DocsSite {
  return site.addresses.length > 0 ? site : { ...site, addresses: [new URL(url).origin] }
}

function asPage(response: Response): Response {
  if (response.status === 200) response.headers.set('content-type', 'text/html; charset=utf-8')
  guardPage(response.headers)
  return response
}
