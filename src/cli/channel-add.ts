import { type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { channelReport } from '../app/report/resources.ts'
import { channelFields } from '../resources/channel.ts'
import { toWritten } from '../resources/resource.ts'
import { modelNames } from './channel-text.ts'
import { UsageError } from './errors.ts'
import { addFieldOptions, namedFields } from './field-options.ts'
import { readFragment, writesOf } from './fragment.ts'
import { byCommandLine, channelArgument, findNamed, namesOf, requireFree } from './lookup.ts'
import { type AnyOptions, addReporting } from './resource-commands.ts'
import { print } from './terminal.ts'
import { splitPair } from './values.ts'

interface AddOptions extends AnyOptions {
  readonly speaks: readonly string[]
  readonly model: readonly string[]
  readonly keyEnv?: string
  readonly proxyEnv?: string
}

const needed = (flags: string, help: string) => new Option(flags, help).makeOptionMandatory()

/** `tollgate channel add`: its secrets come from variables or stdin, never as arguments. */
export const addAdd = (channel: Command): void =>
  addReporting(channel, 'add', {
    help: 'make a channel; its key comes from a variable or from stdin, never from here',
    args: [channelArgument()],
    options: [
      needed('--speaks <protocol=url...>', 'chat, responses, messages or gemini, and where'),
      needed('--model <id...>', 'what it offers; ID=UPSTREAM when it calls it otherwise'),
      ['--key-env <variable>', 'environment variable with its key (default: read stdin)'],
      ['--proxy-env <variable>', 'environment variable with the address of its proxy'],
    ],
    extend: (command) => addFieldOptions(command, channelFields),
    examples: [
      'tollgate channel add openai-main --speaks chat=https://api.openai.com/v1 \\',
      '    --model gpt-5-mini fast=gpt-5-nano --key-env OPENAI_API_KEY --rpm 600',
    ],
    run: createChannel,
    lines: (report) => [
      `Channel ${report.name} offers ${modelNames(report).join(', ')}. A group makes it callable: ` +
        `tollgate group add … --channel ${report.name}`,
    ],
  })

async function createChannel(instance: Instance, options: AddOptions, name: string) {
  const { store } = instance
  const { channels } = await store.catalog.load()
  requireFree('channel', name, namesOf(channels))
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

/** Keys of an upstream, from a variable or stdin: other users could read a command line. */
async function readUpstreamKeys(variable: string | undefined): Promise<readonly string[]> {
  if (variable !== undefined) return [variableOf('--key-env', variable)]
  if (process.stdin.isTTY) print('API key of the upstream (ends with Ctrl-D): ')
  const lines = (await Bun.stdin.text()).split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '')
  if (keys.length > 0) return keys
  throw new UsageError('No key on stdin: pipe it in, or name its variable with --key-env.')
}

/** A proxy address, which may hold a password, from a variable for the same reason. */
const readProxy = (variable: string | undefined): string | undefined =>
  variable === undefined ? undefined : variableOf('--proxy-env', variable)

function variableOf(option: string, variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw new UsageError(`${option}: the environment variable ${variable} is not set.`)
}
