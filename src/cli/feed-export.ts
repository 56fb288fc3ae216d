import type { Command } from 'commander'
import { createFeedExporter, type FeedExporter } from '../app/feed.ts'
import { findConfig, type Instance } from '../app/instance.ts'
import { complain } from './errors.ts'
import { untilStopped } from './lifecycle.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeLines } from './output.ts'

interface FeedExportOptions extends ConfigOption {
  readonly watch?: boolean
  readonly json?: boolean
}

/** `tollgate feed export`: the feed as files, for any static host. */
export function addFeedExport(feed: Command): void {
  const command = feed
    .command('export')
    .description('write the price feed as files that any static host can serve')
    .argument('<dir>', 'folder; the feed lies in it as in its addresses, with a .gz beside it')
    .option('--watch', 'stay, and write again whenever prices or groups change')
    .option('--json', 'say what was written as JSON, one line each time')
    .action((folder: string, options: FeedExportOptions) =>
      withStore(options, (instance) => exportFeed(folder, options, instance)),
    )
  withExamples(
    withConfig(command),
    'tollgate feed export /var/www/prices',
    'tollgate feed export /var/www/prices --watch',
  )
}

async function exportFeed(folder: string, options: FeedExportOptions, instance: Instance) {
  const { config } = await findConfig(options.config)
  const exporter = await createFeedExporter({ instance, config, folder })
  const tell = (written: readonly string[]) => writeLines(describe(folder, written, options))
  await tell(await exporter.write())
  if (options.watch) await watch(instance, exporter, tell)
}

function describe(folder: string, written: readonly string[], { json }: FeedExportOptions) {
  if (json) return [JSON.stringify({ written })]
  if (written.length === 0) return [`The feed in ${folder} is up to date.`]
  return written.map((file) => `wrote ${file}`)
}

/** How often the database is asked whether it has changed, as `serve` does. */
const pollMs = 500

/** Writes after each change until a signal ends it. A failure is told, and tried again. */
async function watch(
  { store }: Instance,
  exporter: FeedExporter,
  tell: (written: readonly string[]) => Promise<void>,
): Promise<void> {
  let outdated = true // a change may have come between the first export and this
  let working: Promise<void> | undefined

  async function follow(): Promise<void> {
    try {
      if (await store.changedElsewhere()) outdated = true
      if (!outdated) return
      const written = await exporter.write()
      outdated = false
      if (written.length > 0) await tell(written)
    } catch (error) {
      complain(`not exported, trying again: ${String(error)}`)
    }
  }

  const timer = setInterval(() => {
    working ??= follow().finally(() => {
      working = undefined
    })
  }, pollMs)
  await untilStopped({
    reload: async () => {
      outdated = true
    },
    async stop() {
      clearInterval(timer)
      await working
      return []
    },
  })
}
