import type { Command } from 'commander'
import { channelReport } from '../app/report/resources.ts'
import { counted } from '../lib/format.ts'
import { keyHint } from '../lib/ids.ts'
import type { Store } from '../store/ports/store.ts'
import { addAdd } from './channel-add.ts'
import { addDrain } from './channel-drain.ts'
import { addStatus } from './channel-status.ts'
import { channelColumns, describeChannel } from './channel-text.ts'
import { warnOfChannel } from './file-word.ts'
import { byCommandLine, channelArgument, findNamed } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines, writeList } from './output.ts'
import { addSwitches, type Switchable } from './switches.ts'

interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate channel …`: upstreams that requests are forwarded to. */
export function addChannelCommands(program: Command): void {
  const channel = program
    .command('channel')
    .description('upstreams: list, add, show, status, drain, disable, enable, remove')
  addList(channel)
  addAdd(channel)
  addShow(channel)
  addStatus(channel)
  addDrain(channel)
  addSwitches(channel, switchable)
  withExamples(channel, 'tollgate channel list', 'tollgate channel status')
}

function addList(channel: Command): void {
  const command = channel
    .command('list')
    .description('list channels, without their keys')
    .option('--json', 'as JSON')
    .action(async (options: JsonOption) =>
      withStore(options, async ({ store }) => {
        const rows = await store.catalog.load()
        const reports = rows.channels.map((row) => channelReport(row, rows))
        await writeList(reports, channelColumns, { json: options.json, none: 'No channels.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate channel list')
}

function addShow(channel: Command): void {
  const command = channel
    .command('show')
    .description('show a channel; of its keys only their ends')
    .addArgument(channelArgument())
    .option('--json', 'as JSON')
    .action(async (name: string, options: JsonOption) =>
      withStore(options, async ({ store, secrets }) => {
        const rows = await store.catalog.load()
        const row = findNamed('channel', name, rows.channels)
        const keys: readonly string[] = JSON.parse(secrets.open(row.keysSealed))
        const report = { ...channelReport(row, rows), key_hints: keys.map(keyHint) }
        if (options.json) return writeJson(report)
        await writeLines(describeChannel(report))
      }),
    )
  withExamples(withConfig(command), 'tollgate channel show openai-main')
}

async function endCooling({ health, edits }: Store, id: number): Promise<void> {
  if (!(await health.load()).some(({ channelId }) => channelId === id)) return
  const ended = await edits.recoverChannel(id, byCommandLine)
  await writeLines([`It is tried again: ${counted(ended, 'cooling')} ended.`])
}

const switchable: Switchable<string> = {
  argument: channelArgument,
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
