import { Elysia } from 'elysia'
import { pageNotFound } from '../gateway/errors.ts'
import { systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { createFeedBuilder } from '../site/feed/document.ts'
import { openMirrorFolder, readFeedFile, writeFeedFiles } from '../site/feed/files.ts'
import { createMirror } from '../site/feed/mirror.ts'
import { type Published, publish } from '../site/published.ts'
import { feedRoutes } from '../site/routes.ts'
import type { Config } from './config/config.ts'
import { withSettings } from './config/settings.ts'
import { createEnding } from './ending.ts'
import type { Instance } from './instance.ts'
import { listen } from './listen.ts'
import { createLiveCatalog } from './live-catalog.ts'
import { feedSite, shownGroups } from './site.ts'
import { UserError } from './user-error.ts'

export type FeedExporter = Awaited<ReturnType<typeof createFeedExporter>>

/** An exporter of the feed into a folder. Unchanged content keeps its `updated_at` and file dates. */
export async function createFeedExporter(instance: Instance, config: Config, folder: string) {
  const catalog = await createLiveCatalog(instance.store, instance.secrets)
  const settings = async () =>
    withSettings(config, (await instance.store.edits.storedSettings()).values)
  let inForce = await settings()
  const earlier = await inFolder(folder, () => readFeedFile(folder))
  const build = createFeedBuilder({
    catalog: () => ({ groups: shownGroups(catalog.current(), inForce.settings.feedGroups) }),
    site: () => feedSite(inForce),
    clock: systemClock,
    earlier: earlier?.text,
  })
  let published: Published | undefined =
    earlier && (await publish(earlier.text, undefined, earlier.modifiedMs))
  return {
    /** Updates the folder; returns the files that changed. */
    async write(): Promise<readonly string[]> {
      await catalog.reload()
      inForce = await settings()
      const version = await publish(await build(), published, systemClock())
      published = version
      return inFolder(folder, () => writeFeedFiles(folder, version))
    },
  }
}

async function inFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new UserError(`The feed in ${folder} can't be read or written: ${cause}`, { cause })
  }
}

interface FeedMirrorParts {
  readonly origin: string
  readonly listen: Pick<Config['server'], 'host' | 'port'>
  readonly intervalMs: number
  readonly folder: string
  readonly acceptSite?: string | undefined
  readonly log: Logger
}

/** Serves the copy of another instance's feed, and asks that instance for changes at each interval. */
export async function mirrorFeed(parts: FeedMirrorParts) {
  const { log } = parts
  const mirror = await openMirror(parts)
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error }) => {
      if (code === 'NOT_FOUND') return pageNotFound()
      log.error('unhandled error', { code: String(code), error: String(error) })
      return new Response('500 internal error', { status: 500 })
    })
    .use(feedRoutes(mirror))
  const listening = listen(app, parts.listen, '--listen')
  const timer = setInterval(() => void mirror.refresh(), parts.intervalMs)
  void mirror.refresh() // awaited by `stop`
  return {
    url: listening.url,
    reload: mirror.refresh,
    /** Returns what could not be ended in time. */
    async stop(): Promise<readonly string[]> {
      clearInterval(timer)
      const closed = listening.close()
      const ending = createEnding(log)
      await ending.step('the copy of the feed', mirror.stop, stopMs)
      await Promise.race([closed, Bun.sleep(stopMs)])
      listening.drop()
      return ending.left
    },
  }
}

const stopMs = 2_000

async function openMirror({ origin, folder, acceptSite, log }: FeedMirrorParts) {
  const copies = openMirrorFolder(folder, origin)
  try {
    const parts = { origin, folder: copies, acceptSite, fetch, clock: systemClock, log }
    return await createMirror(parts)
  } catch (cause) {
    throw new UserError(`The copy in ${folder} can't be read: ${cause}. Name another --dir.`, {
      cause,
    })
  }
}
