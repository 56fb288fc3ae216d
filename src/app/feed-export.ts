import { systemClock } from '../lib/clock.ts'
import { createFeedBuilder } from '../site/feed/document.ts'
import { readFeedFile, writeFeedFiles } from '../site/feed/files.ts'
import { type Published, publish } from '../site/published.ts'
import type { Config } from './config/config.ts'
import { withSettings } from './config/set-by-hand.ts'
import { type Instance, UserError } from './instance.ts'
import { createLiveCatalog } from './live-catalog.ts'
import { feedSite, shownGroups } from './site.ts'

/** Writes the feed of an instance into a folder. */
export interface FeedExporter {
  /** Brings the folder up to date; returns the files that were written, none when all were right. */
  write(): Promise<readonly string[]>
}

export interface FeedExportParts {
  readonly instance: Instance
  readonly config: Config
  readonly folder: string
}

/**
 * An exporter. A feed that is in the folder already keeps its `updated_at` and its files' dates for
 * as long as nothing else in it changes.
 */
export async function createFeedExporter(parts: FeedExportParts): Promise<FeedExporter> {
  const { instance, config, folder } = parts
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
    async write() {
      await catalog.reload()
      inForce = await settings()
      const version = await publish(await build(), published, systemClock())
      published = version
      return inFolder(folder, () => writeFeedFiles(folder, version))
    },
  }
}

/** A folder that can't be read or written is the user's to put right. */
async function inFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new UserError(`The feed in ${folder} can't be read or written: ${cause}`, { cause })
  }
}
