import { Elysia, NotFoundError } from 'elysia'
import { languageOf } from '../../look/language.ts'
import { respondPage } from '../page.ts'
import type { Published } from '../published.ts'
import { type Asker, type AskerOf, orBusy } from '../turns.ts'
import type { ModelPages, ModelPagesParts } from './pages.ts'
import { readQuery } from './query.ts'

export const modelsPath = '/models'

export interface ModelsParts extends ModelPagesParts {
  /** Read at each request, as for the plaza. */
  readonly settings: () => { readonly isEnabled: boolean; readonly needsKey: boolean }
  readonly askerOf: AskerOf
}

/**
 * The models for people. SPEC 7.3: to a client that left out `/v1`, `/models` is no path. So the list is a page only
 * for who asks for HTML without a credential, and a model's page for who has no credential.
 */
export function modelPageRoutes(parts: ModelsParts) {
  const { settings, site, askerOf } = parts
  let made: ModelPages | undefined
  // Loaded on first use, to save memory.
  const pages = async () => {
    const { createModelPages } = await import('./pages.ts')
    made ??= createModelPages(parts)
    return made
  }

  async function answer(request: Request, asker: Asker, find: Find): Promise<Response> {
    const language = languageOf(request)
    const { isEnabled, needsKey } = settings()
    const built = await pages()
    const isOpen = isEnabled && !needsKey
    const found = isOpen ? await find(built, language) : undefined
    const { page, status } = found ?? {
      page: await built.closed(asker, language, needsKey),
      status: 200,
    }
    const { logoUrl } = site().frame
    const known = { request, language, logoUrl, status }
    const response = await respondPage({ ...known, published: page, copies: true, hasForm: true })
    response.headers.set('vary', `accept, ${response.headers.get('vary')}`)
    return response
  }

  const app = new Elysia({ name: 'site.models' }).get(
    modelsPath,
    ({ request, server, set }) => {
      if (hasCredential(request) || !wantsHtml(request)) {
        set.headers.vary = 'accept'
        throw new NotFoundError()
      }
      const query = readQuery(new URL(request.url).searchParams)
      const asker = askerOf({ request, server })
      return orBusy(() =>
        answer(request, asker, async (known, language) => ({
          page: await known.list(asker, language, query),
          status: 200,
        })),
      )
    },
    { parse: 'none' },
  )
  for (const path of modelParameters) {
    app.get(
      modelsPath + path,
      ({ request, server }) => {
        if (hasCredential(request)) throw new NotFoundError()
        const asked = nameIn(request)
        const asker = askerOf({ request, server })
        return orBusy(() =>
          answer(request, asker, async (known, language) => {
            const page = await known.model(asker, language, asked)
            return page
              ? { page, status: 200 }
              : { page: await known.unknown(asker, language, asked.name), status: 404 }
          }),
        )
      },
      { parse: 'none' },
    )
  }
  return app
}

type Find = (
  pages: ModelPages,
  language: ReturnType<typeof languageOf>,
) => Promise<{ readonly page: Published; readonly status: number }>

/** A model's name may hold as many slashes as in the API's paths. */
const modelParameters = ['/:model', '/:model/:b', '/:model/:b/:c', '/:model/:b/:c/:d']

function nameIn({ url }: Request) {
  const { pathname, origin } = new URL(url)
  const path = pathname.slice(modelsPath.length + 1)
  try {
    return { name: decodeURIComponent(path), origin }
  } catch {
    return { name: path, origin } // no valid encoding: a name that no model has
  }
}

const credentialHeaders = ['authorization', 'x-api-key', 'x-goog-api-key'] as const

/** Whether a request brings a key, in any of the ways in which clients send one. */
const hasCredential = ({ headers, url }: Request): boolean =>
  credentialHeaders.some((name) => headers.has(name)) || new URL(url).searchParams.has('key')

/** Whether `text/html` itself is accepted: `*` is what programs send. */
const wantsHtml = ({ headers }: Request): boolean =>
  (headers.get('accept') ?? '').split(',').some((part) => {
    const [type = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((text) => text.trim())
    const isRefused = parameters.some((one) => /^q=0(\.0*)?$/.test(one))
    return type === 'text/html' && !isRefused
  })
