import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { inSlices } from '../../lib/slices.ts'
import type { FrameSite } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { createFresh, type Fresh } from '../fresh.ts'
import type { LiveModels } from '../models/live-models.ts'
import type { Published } from '../published.ts'
import type { StatusSource } from '../status/pages.ts'
import { type Asker, inTurn } from '../turns.ts'
import { clientAddresses, type SiteAddress } from './addresses.ts'
import type { OwnPage } from './own-page.ts'

/** What the configuration says of the front page. */
export interface FrontSite extends SiteAddress {
  readonly subtitle: string | null
  /** The operator's own page, an absolute path; null: none. */
  readonly frontPage: string | null
}

export interface FrontPagesParts {
  readonly status: StatusSource
  readonly groups: () => Catalog['groups']
  /** Those that these groups sell. */
  readonly models: LiveModels
  readonly site: () => FrontSite
  readonly frame: () => FrameSite
  readonly isOpen: () => boolean
  /** The text of a file; rejects where it can't be read. */
  readonly readText: (path: string) => Promise<string>
  readonly clock: Clock
  readonly log: Logger
}

/** Models that the page lists. */
const listed = 10

const maxAgeMs = 15_000

/** Pages by language, and the sitemap; without a configured address by the origin that they were asked at. */
const mostPages = 8

/** Builds the pages at `/` and the sitemap when they are asked for, and keeps them for a while. */
export function createFrontPages(parts: FrontPagesParts) {
  const { status, groups, models, site, frame, isOpen, clock, log } = parts
  const pages = new LRUCache<string, Fresh>({ max: mostPages })

  async function build(language: Language, origin: string): Promise<string> {
    const own = await ownPage(parts, language)
    if (own) {
      const { ownPageHtml } = await import('./own-page.ts')
      return ownPageHtml(own, { language, site: frame(), subtitle: site().subtitle })
    }
    const { frontFacts } = await import('./facts.ts')
    const { frontPage } = await import('./page.ts')
    const known = { groups: groups(), models: await models(), most: listed }
    const facts = await status.look((figures) => inSlices(frontFacts({ ...known, figures })))
    const addresses = clientAddresses(site(), origin, language)
    const { subtitle } = site()
    return frontPage({ language, site: frame(), subtitle, addresses, isOpen: isOpen(), facts })
  }

  /** A page that was built already, or a new one in the asker's turn. */
  async function kept(
    asker: Asker,
    key: string,
    build: () => Promise<string>,
  ): Promise<Published | undefined> {
    const known = pages.get(key)
    if (known) return known.current()
    return inTurn(asker, () => {
      const made =
        pages.get(key) ??
        createFresh({ name: 'front page', build, madeOf: groups, ...{ maxAgeMs, clock, log } })
      pages.set(key, made)
      return made.current()
    })
  }

  return {
    /** Whether the operator wrote it. */
    isOwn: () => site().frontPage !== null,
    /** Undefined: none could be built yet. `origin`: where it was asked for. */
    page: (asker: Asker, language: Language, origin: string): Promise<Published | undefined> =>
      kept(asker, `${language} ${site().baseUrl === null ? origin : ''}`, () =>
        build(language, origin),
      ),
    /** The list of all pages, for search engines. */
    sitemap: (asker: Asker, asked: string): Promise<Published | undefined> => {
      const origin = frame().origin ?? asked
      return kept(asker, `sitemap ${origin}`, async () => {
        const { sitemapXml } = await import('./robots.ts')
        const names = frame().hasModels ? [...(await models()).keys()] : undefined
        return sitemapXml(origin, names)
      })
    },
    /** Forgets all pages: the configuration has changed. */
    forget: () => pages.clear(),
    async idle(): Promise<void> {
      await Promise.all([...pages.values()].map((page) => page.idle()))
    },
  }
}

/**
 * The operator's page, or for a language the file beside it, `front.zh.md`; where it can't be read, the usual one is
 * shown.
 */
async function ownPage(
  { site, readText, log }: FrontPagesParts,
  language: Language,
): Promise<OwnPage | undefined> {
  const path = site().frontPage
  if (path === null) return undefined
  const translated = path.replace(/(\.\w+)$/, `.${language}$1`)
  const text = await readText(translated).catch(() => undefined)
  if (text !== undefined) return { path, text }
  try {
    return { path, text: await readText(path) }
  } catch (error) {
    log.error('the file of site.front_page cannot be read: the usual front page is shown', {
      path,
      error,
    })
    return undefined
  }
}
