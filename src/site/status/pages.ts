import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { inSlices } from '../../lib/slices.ts'
import type { FrameSite } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { createFresh, type Fresh } from '../fresh.ts'
import type { Published } from '../published.ts'
import { encodeStatus } from './document.ts'

export interface StatusSource {
  /** Calls `work` with the present figures, which hold until it ends. */
  look<Result>(work: (figures: AvailabilityFigures) => Promise<Result>): Promise<Result>
}

interface StatusPagesParts {
  readonly source: StatusSource
  readonly groups: () => Catalog['groups']
  readonly site: () => FrameSite
  readonly clock: Clock
  readonly log: Logger
}

export type StatusPages = ReturnType<typeof createStatusPages>

/** A document is built at most once in this time; a catalog change applies at once. */
const maxAgeMs = 5_000

/** Documents by the id of their group; undefined: that of all. Pages by their language. */
export function createStatusPages(parts: StatusPagesParts) {
  const { groups, site } = parts
  const documents = new Map<number | undefined, Fresh>()
  const pages = new Map<Language, Fresh>()

  function forgetGone(): void {
    const shown = groups()
    for (const id of documents.keys()) if (id !== undefined && !shown.has(id)) documents.delete(id)
  }

  return {
    /** The document, rebuilt on request when too old; `undefined` where none could be built yet. */
    async current(name: string | null): Promise<Published | 'unknown_group' | undefined> {
      const group = name === null ? undefined : findGroup(groups(), name)
      if (name !== null && group === undefined) return 'unknown_group'
      const known = documents.get(group?.id)
      if (known) return known.current()
      forgetGone()
      const onlyGroup = group?.id
      const document = createFreshStatus(parts, (seen) => encodeStatus({ ...seen, onlyGroup }))
      documents.set(onlyGroup, document)
      return document.current()
    },
    /** The HTML page, rebuilt as the document is; undefined: none could be built yet. */
    async page(language: Language): Promise<Published | undefined> {
      const { statusPage } = await import('./page/page.ts')
      const create = () =>
        createFreshStatus(parts, (seen) => statusPage({ ...seen, site: site(), language }))
      return pages.getOrInsertComputed(language, create).current()
    },
    /** What the frame of its pages says. */
    site,
    async idle(): Promise<void> {
      await Promise.all([...documents.values(), ...pages.values()].map((page) => page.idle()))
    },
  }
}

const findGroup = (groups: Catalog['groups'], name: string) =>
  [...groups.values()].find((group) => group.enabled && group.name === name)

interface Seen {
  readonly groups: Catalog['groups']
  readonly figures: AvailabilityFigures
  readonly nowMs: number
}

/** A document of the status that is rebuilt on request when too old. */
const createFreshStatus = (
  { source, groups, clock, log }: StatusPagesParts,
  encode: (seen: Seen) => Generator<void, string>,
) =>
  createFresh({
    name: 'status',
    build: () =>
      source.look((figures) => inSlices(encode({ groups: groups(), figures, nowMs: clock() }))),
    madeOf: groups,
    ...{ maxAgeMs, clock, log },
  })
