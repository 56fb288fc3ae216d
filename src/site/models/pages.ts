import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../catalog/catalog.ts'
import { entryLimit } from '../../lib/cache-options.ts'
import type { Clock } from '../../lib/clock.ts'
import { inSlices } from '../../lib/slices.ts'
import type { FrameSite } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { type Published, publish } from '../published.ts'
import type { StatusSource } from '../status/pages.ts'
import { type Asker, inTurn } from '../turns.ts'
import { type ModelsSite, modelsPages, type Shown } from './documents.ts'
import type { LiveModels } from './live-models.ts'
import type { ModelQuery } from './query.ts'
import { queryText } from './query.ts'

export interface ModelPagesParts {
  readonly source: StatusSource
  /** The groups whose models are shown. */
  readonly groups: () => Catalog['groups']
  readonly models: LiveModels
  readonly site: () => ModelsSite
  readonly clock: Clock
}

/** Availability on a page is at most so old; a change of the catalog or the configuration applies at once. */
const maxAgeMs = 15_000
/** Pages kept: some 20 kB each. */
const mostPages = 32

interface Kept {
  readonly madeAt: number
  readonly groups: Catalog['groups']
  readonly site: FrameSite
  readonly page: Published
}

export type ModelPages = ReturnType<typeof createModelPages>

/** The pages of models, each built when it is asked for, and kept for a while. */
export function createModelPages({ source, groups, models, site, clock }: ModelPagesParts) {
  const pages = new LRUCache<string, Kept>(entryLimit(mostPages))

  /** A kept page, if it is still right. */
  function find(key: string): Published | undefined {
    const known = pages.get(key)
    const ageMs = clock() - (known?.madeAt ?? Number.NaN)
    const isSame = known?.groups === groups() && known.site === site().frame
    return isSame && ageMs >= 0 && ageMs < maxAgeMs ? known.page : undefined
  }

  async function make(
    key: string,
    build: (previous?: Published) => Promise<Published>,
  ): Promise<Published> {
    const made = { madeAt: clock(), groups: groups(), site: site().frame }
    const page = await build(pages.get(key)?.page)
    pages.set(key, { ...made, page })
    return page
  }

  /** A kept page, or a new one. Each waits in its own turn: another's, who asks for it too, may come much later. */
  async function kept(
    asker: Asker,
    key: string,
    build: (previous?: Published) => Promise<Published>,
  ): Promise<Published> {
    return find(key) ?? inTurn(asker, () => find(key) ?? make(key, build))
  }

  const show = async (steps: (shown: Shown) => Generator<void, string>): Promise<string> => {
    const known = await models()
    return source.look((figures) => inSlices(steps({ models: known, figures, site: site() })))
  }

  return {
    list: (asker: Asker, language: Language, query: ModelQuery): Promise<Published> =>
      kept(asker, `list ${language} ${queryText(query)}`, async (previous) => {
        const html = await show((shown) => modelsPages.list(shown, language, query))
        return publish(html, previous, clock())
      }),
    /** Undefined: there is no such model. */
    async model(
      asker: Asker,
      language: Language,
      { name, origin }: { readonly name: string; readonly origin: string },
    ): Promise<Published | undefined> {
      if (!(await models()).has(name)) return undefined
      const address = site().baseUrl ?? origin
      return kept(asker, `model ${language} ${address} ${name}`, async (previous) => {
        const html = await show((shown) => modelsPages.model(shown, language, { name, address }))
        return publish(html, previous, clock())
      })
    },
    /** The page of a name that no model has. */
    async unknown(asker: Asker, language: Language, name: string): Promise<Published> {
      const names = [...(await models()).keys()]
      return inTurn(asker, () =>
        publish(modelsPages.unknown(names, site(), language, name), undefined, clock()),
      )
    },
    /** The page where models are not public. */
    closed: (asker: Asker, language: Language, needsKey: boolean): Promise<Published> =>
      kept(asker, `closed ${language} ${needsKey}`, (previous) =>
        publish(modelsPages.closed(site(), language, needsKey), previous, clock()),
      ),
    /** The models that have a page, by name. */
    names: async (): Promise<readonly string[]> => [...(await models()).keys()],
  }
}
