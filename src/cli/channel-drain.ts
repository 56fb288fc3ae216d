import type { Command } from 'commander'
import { UserError } from '../app/instance.ts'
import { warnOfChannel } from './file-word.ts'
import { byCommandLine, channelArgument, findNamed } from './lookup.ts'
import { type ConfigOption, withConfig, withStore } from './open.ts'
import { writeLines } from './output.ts'

/** `tollgate channel drain`: finishes what has begun on a channel, and sends it nothing new. */
export function addDrain(channel: Command): void {
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
