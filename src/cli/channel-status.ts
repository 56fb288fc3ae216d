import { Argument, type Command } from 'commander'
import { channelHealth, describeHealth } from '../app/report/channel-health.ts'
import { printable } from '../lib/table.ts'
import { findNamed } from './lookup.ts'
import { addReporting } from './resource-commands.ts'

/** `tollgate channel status`: from the database alone, also beside a running server. */
export const addStatus = (channel: Command): void =>
  addReporting(channel, 'status', {
    help: 'say of each channel whether it is used, and if not, why and until when',
    args: [new Argument('[name]', 'only this one')],
    examples: ['tollgate channel status', 'tollgate channel status openai-main --json'],
    async run(instance, _options, name: string | undefined) {
      const { channels } = await instance.store.catalog.load()
      const rows = name === undefined ? channels : [findNamed('channel', name, channels)]
      return channelHealth(instance, rows, Date.now())
    },
    json: (reports, _options, [name]) => (name === undefined ? reports : reports[0]),
    lines: (reports) =>
      reports.length > 0 ? reports.flatMap(describeHealth).map(printable) : ['No channels.'],
  })
