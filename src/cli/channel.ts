import type { Command } from 'commander'
import { type ChannelReport, channelReport } from '../app/report/resources.ts'
import { counted } from '../lib/format.ts'
import { keyHint } from '../lib/ids.ts'
import type { Store } from '../store/ports/store.ts'
import { addAdd } from './channel-add.ts'
import { addDrain } from './channel-drain.ts'
import { addStatus } from './channel-status.ts'
import { channelColumns, describeChannel } from './channel-text.ts'
import { warnOfChannel } from './file-word.ts'
import { byCommandLine, channelArgument, findNamed } from './lookup.ts'
import { withExamples } from './open.ts'
import { writeLines } from './output.ts'
import { addList, addShow, addSwitches, type Resource } from './resource-commands.ts'

/** `tollgate channel …`: upstreams that requests are forwarded to. */
export function addChannelCommands(program: Command): void {
  const channel = program
    .command('channel')
    .description('upstreams: list, add, show, status, drain, disable, enable, remove')
  addList(channel, channels)
  addAdd(channel)
  addShow(channel, channels)
  addStatus(channel)
  addDrain(channel)
  addSwitches(channel, channels)
  withExamples(channel, 'tollgate channel list', 'tollgate channel status')
}

async function endCooling({ health, edits }: Store, id: number): Promise<void> {
  if (!(await health.load()).some(({ channelId }) => channelId === id)) return
  const ended = await edits.recoverChannel(id, byCommandLine)
  await writeLines([`It is tried again: ${counted(ended, 'cooling')} ended.`])
}

const channels: Resource<string, ChannelReport, Parameters<typeof describeChannel>[0]> = {
  argument: channelArgument,
  list: {
    help: 'list channels, without their keys',
    examples: ['tollgate channel list'],
    ...{ columns: channelColumns, none: 'No channels.' },
    async rows({ store }) {
      const rows = await store.catalog.load()
      return rows.channels.map((row) => channelReport(row, rows))
    },
  },
  show: {
    help: 'show a channel; of its keys only their ends',
    examples: ['tollgate channel show openai-main'],
    describe: describeChannel,
    async read({ store, secrets }, name) {
      const rows = await store.catalog.load()
      const row = findNamed('channel', name, rows.channels)
      const keys: readonly string[] = JSON.parse(secrets.open(row.keysSealed))
      return { ...channelReport(row, rows), key_hints: keys.map(keyHint) }
    },
  },
  example: 'openai-main',
  enabling: 'let a disabled channel work again; ends its draining, and all that is held against it',
  async find({ store }, name) {
    const rows = await store.catalog.load()
    const row = findNamed('channel', name, rows.channels)
    const { id, keysSealed: _, proxySealed: __, ...settings } = row
    const { groups } = channelReport(row, rows)
    return {
      label: `channel "${name}"`,
      consequence: groups.length > 0 ? `It is part of ${groups.join(', ')}.` : '',
      withStatus: (status) => ({ channels: [{ ...settings, status }] }),
      remove: { channels: [name] },
      async switched(status, options) {
        if (status === 'active') await endCooling(store, id)
        await warnOfChannel(options, name, status)
      },
    }
  },
}
