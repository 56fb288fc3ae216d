import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { DocumentStore } from '../store/ports/store.ts'
import { type Published, publish, takeOver, toShared } from './published.ts'

/** A public document that is built now and then, and served from memory in between. */
export interface Publication {
  /** The last version that was built without a fault; undefined before the first. */
  current(): Published | undefined
  /**
   * Builds it anew and resolves when that is done; never rejects. Unchanged text leaves the version
   * as it is. Calls during a build share one more build after it.
   */
  refresh(): Promise<void>
  /** Resolves when no build is under way. */
  idle(): Promise<void>
}

export interface PublicationParts {
  /** What the log calls it. */
  readonly name: string
  /** The document as JSON text; `inForce`: that of another node, until now. Long work goes through `inSlices`. */
  readonly build: (inForce?: string) => string | Promise<string>
  /** Where all nodes find one and the same version, and its name there; absent: of this node alone. */
  readonly shared?: { readonly documents: DocumentStore; readonly name: string } | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** A publication that has not been built yet. A build that fails is logged, and changes nothing. */
export function createPublication(parts: PublicationParts): Publication {
  const { name, build, clock, log, shared } = parts
  const followOrLead = shared && createFollowing(parts, shared)
  let published: Published | undefined
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function work(): Promise<void> {
    try {
      published = followOrLead
        ? await followOrLead(published)
        : await publish(await build(), published, clock())
    } catch (error) {
      const kept = published ? 'the last good one is served on' : 'there is none to serve'
      log.error(`${name} not built; ${kept}`, { error })
    }
  }

  function refresh(): Promise<void> {
    if (running === undefined) {
      running = work().finally(() => {
        running = undefined
      })
      return running
    }
    next ??= running.then(() => {
      next = undefined
      return refresh()
    })
    return next
  }

  return {
    current: () => published,
    refresh,
    idle: async () => {
      await (next ?? running)
    },
  }
}

/**
 * One node builds and stores it, the others take it from there. Where nothing is stored yet, each
 * serves its own until the one that builds has done so.
 */
function createFollowing(
  { build, clock }: PublicationParts,
  { documents, name }: NonNullable<PublicationParts['shared']>,
) {
  /** Came from the store or went there: what a node has built for itself may have the same date. */
  let inForce: Published | undefined

  /** What is stored, read only when it is another version than the one that is known. */
  async function readShared(): Promise<Published | undefined> {
    const storedMs = await documents.lastModifiedMs(name)
    if (storedMs === undefined) return undefined
    if (inForce && storedMs === Date.parse(inForce.lastModified)) return inForce
    const document = await documents.read(name)
    return document && takeOver(document, inForce)
  }

  return async (served: Published | undefined): Promise<Published> => {
    const isLeader = await documents.leads()
    inForce = await readShared()
    if (inForce && !isLeader) return inForce
    const text = await build(inForce && new TextDecoder().decode(inForce.body))
    const built = await publish(text, inForce ?? served, clock())
    if (!isLeader || built === inForce) return built
    await documents.write(name, toShared(built))
    inForce = built
    return built
  }
}

/** The timers that build all publications of a site. */
export interface Snapshots {
  /** Builds all of them now; resolves when that is done. */
  refresh(): Promise<void>
  /** Changes how often they are built, from now on. */
  setInterval(intervalMs: number): void
  /** Ends the timers; resolves when no build is under way any more. */
  stop(): Promise<void>
}

/** How often a node that does not build looks whether nobody does any more. */
const succeedMs = 2_000

/** Starts building at once, and again every `intervalMs`. `documents`: where one of many nodes builds. */
export function createSnapshots(
  publications: readonly Publication[],
  intervalMs: number,
  documents?: DocumentStore,
): Snapshots {
  const refresh = async () => {
    await Promise.all(publications.map((one) => one.refresh()))
  }
  let currentMs = intervalMs
  let timer = setInterval(refresh, currentMs).unref()
  void refresh() // awaited by `stop`, through `idle`
  let succeeding: Promise<void> | undefined

  /** Whoever built may have ended before it had built what changed last. */
  async function succeed({ isLeading, leads }: DocumentStore): Promise<void> {
    if (isLeading()) return
    const isLeader = await leads().catch(() => false) // the store is away: looked at again soon
    if (isLeader) await refresh()
  }

  const watch =
    documents &&
    setInterval(() => {
      succeeding ??= succeed(documents).finally(() => {
        succeeding = undefined
      })
    }, succeedMs).unref()

  return {
    refresh,
    setInterval(changedMs) {
      if (changedMs === currentMs) return
      currentMs = changedMs
      clearInterval(timer)
      timer = setInterval(refresh, currentMs).unref()
    },
    async stop() {
      clearInterval(timer)
      clearInterval(watch)
      await succeeding
      await Promise.all(publications.map((one) => one.idle()))
    },
  }
}
