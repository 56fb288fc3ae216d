import { Argument, type Command } from 'commander'
import { channelHealth, describeHealth } from '../app/report/channel-health.ts'
import { printable } from '../lib/table.ts'
import { findNamed } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'

interface StatusOptions extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate channel status`: from the database alone, also beside a running server. */
export function addStatus(channel: Command): void {
  const command = channel
    .command('status')
    .description('say of each channel whether it is used, and if not, why and until when')
    .addArgument(new Argument('[name]', 'only this one'))
    .option('--json', 'as JSON')
    .action(async (name: string | undefined, options: StatusOptions) =>
      withStore(options, async (instance) => {
        const { channels } = await instance.store.catalog.load()
        const rows = name === undefined ? channels : [findNamed('channel', name, channels)]
        const reports = await channelHealth(instance, rows, Date.now())
        if (options.json) return writeJson(name === undefined ? reports : reports[0])
        if (reports.length === 0) return writeLines(['No channels.'])
        await writeLines(reports.flatMap(describeHealth).map(printable))
      }),
    )
  withExamples(
    withConfig(command),
    'tollgate channel status',
    'tollgate channel status openai-main --json',
  )
}
