import type { AvailabilityFigures } from '../../catalog/availability.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { inSlices } from '../../lib/slices.ts'
import type { Published } from '../published.ts'
import { createPublication } from '../snapshot.ts'
import { encodeStatus } from './document.ts'

/** Where the figures come from. */
export interface StatusSource {
  /** Gives the figures as of now to `work`; they hold until it has ended. */
  look<Result>(work: (figures: AvailabilityFigures) => Promise<Result>): Promise<Result>
}

export interface StatusPagesParts {
  readonly source: StatusSource
  readonly catalog: () => Catalog
  readonly clock: Clock
  readonly log: Logger
}

/** The status of all groups, and of single ones. */
export interface StatusPages {
  /**
   * The document, made when it is asked for and the last one is too old; `undefined` where there is
   * no such group (`unknown_group`), or where none could be made yet.
   */
  current(group: string | null): Promise<Published | 'unknown_group' | undefined>
  /** Resolves when none is being made. */
  idle(): Promise<void>
}

/** However many ask, a document is made once in this time; another catalog is seen at once. */
const maxAgeMs = 5_000

/** Documents by the id of their group; undefined: that of all. */
export function createStatusPages(parts: StatusPagesParts): StatusPages {
  const { catalog } = parts
  const pages = new Map<number | undefined, ReturnType<typeof createPage>>()

  /** Of groups that are gone nothing is left in memory. */
  function forgetGone(): void {
    const { groups } = catalog()
    for (const id of pages.keys()) if (id !== undefined && !groups.has(id)) pages.delete(id)
  }

  return {
    async current(name) {
      const group = name === null ? undefined : findGroup(catalog(), name)
      if (name !== null && group === undefined) return 'unknown_group'
      const known = pages.get(group?.id)
      if (known) return known.current()
      forgetGone()
      const page = createPage(parts, group?.id)
      pages.set(group?.id, page)
      return page.current()
    },
    async idle() {
      await Promise.all([...pages.values()].map((page) => page.idle()))
    },
  }
}

const findGroup = ({ groups }: Catalog, name: string) =>
  [...groups.values()].find((group) => group.enabled && group.name === name)

function createPage({ source, catalog, clock, log }: StatusPagesParts, onlyGroup?: number) {
  const publication = createPublication({
    name: 'status',
    build: () =>
      source.look((figures) =>
        inSlices(encodeStatus({ groups: catalog().groups, figures, nowMs: clock(), onlyGroup })),
      ),
    clock,
    log,
  })
  let madeAt = Number.NaN
  let madeOf: Catalog | undefined
  return {
    async current(): Promise<Published | undefined> {
      const ageMs = clock() - madeAt
      const isYoung = ageMs >= 0 && ageMs < maxAgeMs
      if (isYoung && madeOf === catalog()) {
        await publication.idle()
      } else {
        madeAt = clock()
        madeOf = catalog()
        await publication.refresh()
      }
      return publication.current()
    },
    idle: publication.idle,
  }
}
