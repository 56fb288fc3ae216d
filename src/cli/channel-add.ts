import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import { type ChannelReport, channelReport } from '../app/report/resources.ts'
import { channelFields } from '../resources/channel.ts'
import { toWritten } from '../resources/resource.ts'
import { readProxy, readUpstreamKeys } from './channel-keys.ts'
import { modelNames } from './channel-text.ts'
import { UsageError } from './errors.ts'
import { addFieldOptions, namedFields } from './field-options.ts'
import { readFragment, writesOf } from './fragment.ts'
import { byCommandLine, channelArgument, findNamed, requireFree } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { splitPair } from './values.ts'

interface AddOptions extends ConfigOption {
  readonly [name: string]: unknown
  readonly speaks: readonly string[]
  readonly model: readonly string[]
  readonly keyEnv?: string
  readonly proxyEnv?: string
  readonly json?: boolean
}

/** `tollgate channel add`: its secrets come from variables or stdin, never as arguments. */
export function addAdd(channel: Command): void {
  const command = channel
    .command('add')
    .description('make a channel; its key comes from a variable or from stdin, never from here')
    .addArgument(channelArgument())
    .requiredOption('--speaks <protocol=url...>', 'chat, responses, messages or gemini, and where')
    .requiredOption('--model <id...>', 'what it offers; ID=UPSTREAM when it calls it otherwise')
    .option('--key-env <variable>', 'environment variable with its key (default: read stdin)')
    .option('--proxy-env <variable>', 'environment variable with the address of its proxy')
    .option('--json', 'as JSON')
    .action(async (name: string, options: AddOptions) =>
      withStore(options, async (instance) => {
        const report = await createChannel(instance, name, options)
        if (options.json) return writeJson(report)
        await writeLines([
          `Channel ${name} offers ${modelNames(report).join(', ')}. A group makes it callable: ` +
            `tollgate group add … --channel ${name}`,
        ])
      }),
    )
  addFieldOptions(command, channelFields)
  withExamples(
    withConfig(command),
    'tollgate channel add openai-main --speaks chat=https://api.openai.com/v1 \\',
    '    --model gpt-5-mini fast=gpt-5-nano --key-env OPENAI_API_KEY --rpm 600',
  )
}

async function createChannel(
  instance: Instance,
  name: string,
  options: AddOptions,
): Promise<ChannelReport> {
  const { store } = instance
  requireFree(
    'channel',
    name,
    (await store.catalog.load()).channels.some((one) => one.name === name),
  )
  const proxy = readProxy(options.proxyEnv)
  const config = readFragment({
    channels: [
      {
        name,
        speaks: readBases(options.speaks),
        models: options.model.map(readModel),
        ...toWritten(channelFields, namedFields(channelFields, options)),
        ...(proxy !== undefined && { proxy }),
        api_keys: await readUpstreamKeys(options.keyEnv),
      },
    ],
  })
  await store.admin.write(await writesOf(config, instance), byCommandLine)
  const rows = await store.catalog.load()
  return channelReport(findNamed('channel', name, rows.channels), rows)
}

function readBases(pairs: readonly string[]): { [protocol: string]: string } {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [protocol, url] = splitPair(pair)
      if (!url)
        throw new UsageError(`--speaks: ${pair} has no address: write ${protocol}=https://…`)
      return [protocol, url]
    }),
  )
}

function readModel(pair: string): string | { id: string; upstream: string } {
  const [id, upstream] = splitPair(pair)
  return upstream === undefined ? id : { id, upstream }
}
