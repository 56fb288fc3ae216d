import { Argument, type Command } from 'commander'
import { channelHealth, describeHealth } from '../app/report/channel-health.ts'
import { type ChannelReport, channelReport } from '../app/report/resources.ts'
import { UserError } from '../app/user-error.ts'
import { counted } from '../lib/format.ts'
import { keyHint } from '../lib/ids.ts'
import { printable } from '../lib/table.ts'
import type { Store } from '../store/ports/store.ts'
import { addAdd } from './channel-add.ts'
import { channelColumns, describeChannel } from './channel-text.ts'
import { type ConfigOption, withConfig } from './config-option.ts'
import { warnOfChannel } from './file-word.ts'
import { byCommandLine, channelArgument, findNamed } from './lookup.ts'
import { withStore } from './open.ts'
import { writeLines } from './output.ts'
import { addReporting, addResource, type Resource } from './resource-commands.ts'

async function endCooling({ health, edits }: Store, id: number): Promise<void> {
  if (!(await health.load()).some(({ channelId }) => channelId === id)) return
  const ended = await edits.recoverChannel(id, byCommandLine)
  await writeLines([`It is tried again: ${counted(ended, 'cooling')} ended.`])
}

/** `tollgate channel drain`: finishes what has begun on a channel, and sends it nothing new. */
function addDrain(channel: Command): void {
  const command = channel
    .command('drain')
    .description('send nothing new to a channel, and let what has begun there go on')
    .addArgument(channelArgument())
    .action(async (name: string, options: ConfigOption) =>
      withStore(options, async ({ store }) => {
        const { channels } = await store.catalog.load()
        const row = findNamed('channel', name, channels)
        if (row.status === 'disabled')
          throw new UserError(
            `The channel "${name}" is disabled: nothing goes to it at all. To let it drain, ` +
              `enable it first: tollgate channel enable ${name}`,
          )
        const { id: _, keysSealed: __, proxySealed: ___, ...settings } = row
        await store.admin.write({ channels: [{ ...settings, status: 'draining' }] }, byCommandLine)
        await writeLines([
          `The channel "${name}" is draining: what has begun there, such as a conversation, goes ` +
            'on there; nothing new is sent to it, unless no other channel can answer. ' +
            `To end that: tollgate channel enable ${name}`,
        ])
        await warnOfChannel(options, name, 'draining')
      }),
    )
  withConfig(command, 'tollgate channel drain openai-main')
}

/** `tollgate channel status`: from the database alone, also beside a running server. */
const addStatus = (channel: Command): void =>
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

const channels: Resource<string, ChannelReport, Parameters<typeof describeChannel>[0]> = {
  name: 'channel',
  help: 'upstreams: list, add, show, status, drain, disable, enable, remove',
  examples: ['tollgate channel list', 'tollgate channel status'],
  add: addAdd,
  others(channel) {
    addStatus(channel)
    addDrain(channel)
  },
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

/** `tollgate channel …`: upstreams that requests are forwarded to. */
export const addChannelCommands = (program: Command): void => addResource(program, channels)
