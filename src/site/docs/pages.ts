import type { AnyElysia } from 'elysia'
import { type FrameSite, publicPage } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { escapeHtml } from '../../look/text.ts'
import type { JsonSchema } from '../schemas.ts'
import { type ApiError, apiPage, apiSections, usualAddress } from './api-page.ts'
import { type ConfigSection, configurationPage, configurationSections } from './configuration.ts'
import { type DocsSite, placedOperations, type RequestSchemas } from './document.ts'
import { type DocsContent, docsBody } from './frame.ts'
import { guidePages, menuOf } from './library.ts'
import { createSearch } from './search.ts'
import { missingPage, searchPage } from './search-page.ts'
import { docsCss } from './style.ts'
import { translationPage, translationSections } from './translation-page.ts'
import { tryScript } from './try-it.ts'
import { docsWords } from './words.ts'

/** What the pages are made of that lies elsewhere in the program. */
export interface DocsSource {
  readonly app: () => AnyElysia
  readonly consoleApi: () => Promise<AnyElysia>
  /** Schemas that requests are checked by, and those that answers refer to, by name. */
  readonly requests: RequestSchemas
  readonly schemas: () => Readonly<Record<string, JsonSchema>>
  /** Every key of the configuration file. */
  readonly configuration: () => Promise<readonly ConfigSection[]>
  /** Every error that clients may get. */
  readonly errors: () => Promise<readonly ApiError[]>
}

export interface PageQuestion {
  readonly name: string
  readonly language: Language
  readonly site: FrameSite
  readonly docsSite: DocsSite
}

/** A finished page; `isMissing`: it is there in place of one that is not. */
export interface DocsPage {
  readonly html: string
  readonly isMissing: boolean
  readonly script: string | undefined
}

/** The pages of the documentation, made when they are asked for. */
export async function createDocsPages(source: DocsSource) {
  const [configuration, errors] = await Promise.all([source.configuration(), source.errors()])
  const placed = placedOperations(source.app(), source.requests)
  const searches = new Map<Language, ReturnType<typeof createSearch>>()

  function contentOf({ name, language, docsSite }: PageQuestion): DocsContent | undefined {
    if (name === 'configuration') return configurationPage(configuration, language)
    if (name === 'api') return apiPage({ site: docsSite, placed, errors, language })
    if (name === 'translation') return translationPage(language)
    const page = guidePages(language).find((one) => one.name === name)
    if (page === undefined) return undefined
    const here = { ...page, html: withAddress(page.html, docsSite.addresses[0]) }
    return page.written === language ? here : inEnglish(here, language)
  }

  function search(language: Language) {
    return searches.getOrInsertComputed(language, () => {
      const sections = new Map([
        ...guidePages(language).map((page) => [page.name, page.sections] as const),
        ['configuration', configurationSections(configuration, language)] as const,
        ['api', apiSections(placed, errors, language)] as const,
        ['translation', translationSections(language)] as const,
      ])
      return createSearch(
        menuOf(language).map(({ name, path, title }) => ({
          ...{ path, title, sections: sections.get(name) ?? [] },
          // Its many short rows come after what explains.
          weight: name === 'translation' ? 0.2 : 1,
        })),
      )
    })
  }

  return {
    /** The name of the first page. */
    first: () => menuOf('en')[0]?.name ?? 'api',
    page(question: PageQuestion): DocsPage {
      const found = contentOf(question)
      const content = found ?? missingPage(question.language)
      const script = found && question.name === 'api' ? tryScript : undefined
      return { html: wholePage(question, content), isMissing: found === undefined, script }
    },
    async searchPage(question: PageQuestion, query: string): Promise<string> {
      const hits = query === '' ? [] : (await search(question.language))(query)
      const content = searchPage(query, hits, question.language)
      return wholePage({ ...question, query }, content)
    },
  }
}

function wholePage(
  { name, language, site, query = '' }: PageQuestion & { readonly query?: string },
  content: DocsContent,
): string {
  const menu = menuOf(language)
  const path = menu.find((page) => page.name === name)?.path ?? `/docs/${name}`
  const script = name === 'api' ? `<script>${tryScript}</script>` : ''
  const asked = query === '' ? '' : `?${new URLSearchParams({ q: query })}`
  return publicPage({
    title: `${content.title} · ${site.name}`,
    description: content.description,
    ...{ language, site, path: path + asked },
    body: docsBody({ name, content, menu, language, version: site.version, query }) + script,
    head: `<style>${docsCss}</style>`,
    copies: true,
  })
}

/** The guide's examples with the address that clients use; what only this machine answers stays. */
export const withAddress = (html: string, address = usualAddress): string =>
  html.replaceAll(ofClients, escapeHtml(address.replace(/\/+$/, '')))

const ofClients = new RegExp(`${usualAddress}(?!/(?:livez|readyz|metrics))`, 'g')

/** English content for readers of another language: a note says so. */
function inEnglish(content: DocsContent, language: Language): DocsContent {
  if (language === 'en') return content
  const note = `<p class="note" lang="zh-Hans">${docsWords[language].untranslated}</p>`
  return { ...content, html: `${note}<div class="english" lang="en">${content.html}</div>` }
}
