import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { inSlices } from '../../lib/slices.ts'
import type { Language } from '../../look/language.ts'
import { createPublication, type Published } from '../published.ts'
import { encodeStatus } from './document.ts'

export interface StatusSource {
  /** Calls `work` with the present figures, which hold until it ends. */
  look<Result>(work: (figures: AvailabilityFigures) => Promise<Result>): Promise<Result>
}

interface StatusPagesParts {
  readonly source: StatusSource
  readonly groups: () => Catalog['groups']
  readonly siteName: () => string
  readonly clock: Clock
  readonly log: Logger
}

export type StatusPages = ReturnType<typeof createStatusPages>

/** A document is built at most once in this time; a catalog change applies at once. */
const maxAgeMs = 5_000

/** Documents by the id of their group; undefined: that of all. Pages by their language. */
export function createStatusPages(parts: StatusPagesParts) {
  const { groups, siteName } = parts
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
      const document = createFresh(parts, (seen) => encodeStatus({ ...seen, onlyGroup }))
      documents.set(onlyGroup, document)
      return document.current()
    },
    /** The HTML page, rebuilt as the document is; undefined: none could be built yet. */
    async page(language: Language): Promise<Published | undefined> {
      const { statusPage } = await import('./page/page.ts')
      const create = () =>
        createFresh(parts, (seen) => statusPage({ ...seen, siteName: siteName(), language }))
      return pages.getOrInsertComputed(language, create).current()
    },
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

type Fresh = ReturnType<typeof createFresh>

/** A document that is rebuilt on request when too old. */
function createFresh(
  { source, groups, clock, log }: StatusPagesParts,
  encode: (seen: Seen) => Generator<void, string>,
) {
  const publication = createPublication({
    name: 'status',
    build: () =>
      source.look((figures) => inSlices(encode({ groups: groups(), figures, nowMs: clock() }))),
    clock,
    log,
  })
  let madeAt = Number.NaN
  let madeOf: Catalog['groups'] | undefined
  return {
    async current(): Promise<Published | undefined> {
      const ageMs = clock() - madeAt
      const isYoung = ageMs >= 0 && ageMs < maxAgeMs
      if (isYoung && madeOf === groups()) {
        await publication.idle()
      } else {
        madeAt = clock()
        madeOf = groups()
        await publication.refresh()
      }
      return publication.current()
    },
    idle: publication.idle,
  }
}
