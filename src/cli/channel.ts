import { Argument, type Command } from 'commander'
import { keyHint } from '../app/config/key-hint.ts'
import type { Instance } from '../app/instance.ts'
import { channelReport } from '../app/report/resources.ts'
import { humanDuration, listed } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { quirkNames } from '../protocols/canonical/quirks.ts'
import { readUpstreamKeys } from './channel-keys.ts'
import { UsageError } from './errors.ts'
import { readFragment, writesOf } from './fragment.ts'
import { findNamed, requireFree } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines, writeList } from './output.ts'
import { addSwitches, type Switchable } from './switches.ts'
import { parseWhole, splitPair } from './values.ts'

interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate channel …`: upstreams that requests are forwarded to. */
export function addChannelCommands(program: Command): void {
  const channel = program
    .command('channel')
    .description('upstreams: list, add, show, disable, enable, remove')
  addList(channel)
  addAdd(channel)
  addShow(channel)
  addSwitches(channel, switchable)
  withExamples(channel, 'tollgate channel list')
}

const nameArgument = () => new Argument('<name>', 'its name, exactly')

type Report = ReturnType<typeof channelReport>

const modelNames = ({ models }: Report) =>
  models.map(({ id, upstream }) => (id === upstream ? id : `${id}=${upstream}`))

const columns = [
  { title: 'NAME', text: ({ name }: Report) => name },
  { title: 'STATUS', text: ({ status }: Report) => status },
  { title: 'SPEAKS', text: ({ speaks }: Report) => Object.keys(speaks).join(', ') },
  { title: 'MODELS', text: (row: Report) => modelNames(row).join(', ') },
  { title: 'PRIORITY', text: ({ priority }: Report) => String(priority), right: true },
  { title: 'WEIGHT', text: ({ weight }: Report) => String(weight), right: true },
  { title: 'QUIRKS', text: ({ quirks }: Report) => listed(quirks, 'none') },
  { title: 'GROUPS', text: ({ groups }: Report) => listed(groups, 'none') },
]

function addList(channel: Command): void {
  const command = channel
    .command('list')
    .description('list channels, without their keys')
    .option('--json', 'as JSON')
    .action(async (options: JsonOption) =>
      withStore(options, async ({ store }) => {
        const rows = await store.catalog.load()
        const reports = rows.channels.map((row) => channelReport(row, rows))
        await writeList(reports, columns, { json: options.json, none: 'No channels.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate channel list')
}

interface AddOptions extends JsonOption {
  readonly speaks: readonly string[]
  readonly model: readonly string[]
  readonly keyEnv?: string
  readonly priority: number
  readonly weight: number
  readonly allowPrivate?: boolean
  readonly quirk: readonly string[]
}

function addAdd(channel: Command): void {
  const command = channel
    .command('add')
    .description('make a channel; its key comes from a variable or from stdin, never from here')
    .addArgument(nameArgument())
    .requiredOption('--speaks <protocol=url...>', 'chat, responses, messages or gemini, and where')
    .requiredOption('--model <id...>', 'what it offers; ID=UPSTREAM when it calls it otherwise')
    .option('--key-env <variable>', 'environment variable with its key (default: read stdin)')
    .option('--priority <number>', 'smaller is asked first', parseWhole, 0)
    .option('--weight <number>', 'share among channels of one priority', parseWhole, 1)
    .option('--allow-private', 'its address may be on this machine or network')
    .option(
      '--quirk <name...>',
      `how it differs from a protocol's vendor: ${quirkNames.join(', ')}`,
      [],
    )
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
  withExamples(
    withConfig(command),
    'tollgate channel add openai-main --speaks chat=https://api.openai.com/v1 \\',
    '    --model gpt-5-mini fast=gpt-5-nano --key-env OPENAI_API_KEY',
  )
}

async function createChannel(instance: Instance, name: string, options: AddOptions) {
  const { store } = instance
  requireFree(
    'channel',
    name,
    (await store.catalog.load()).channels.some((one) => one.name === name),
  )
  const config = readFragment({
    channels: [
      {
        name,
        speaks: readBases(options.speaks),
        models: options.model.map(readModel),
        priority: options.priority,
        weight: options.weight,
        allow_private: options.allowPrivate ?? false,
        quirks: options.quirk,
        api_keys: await readUpstreamKeys(options.keyEnv),
      },
    ],
  })
  await store.admin.write(await writesOf(config, instance))
  return loadReport(instance, name)
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

async function loadReport({ store }: Instance, name: string): Promise<Report> {
  const rows = await store.catalog.load()
  return channelReport(findNamed('channel', name, rows.channels), rows)
}

function addShow(channel: Command): void {
  const command = channel
    .command('show')
    .description('show a channel; of its keys only their ends')
    .addArgument(nameArgument())
    .option('--json', 'as JSON')
    .action(async (name: string, options: JsonOption) =>
      withStore(options, async ({ store, secrets }) => {
        const rows = await store.catalog.load()
        const row = findNamed('channel', name, rows.channels)
        const keys: readonly string[] = JSON.parse(secrets.open(row.keysSealed))
        const report = { ...channelReport(row, rows), key_hints: keys.map(keyHint) }
        if (options.json) return writeJson(report)
        await writeLines(describe(report))
      }),
    )
  withExamples(withConfig(command), 'tollgate channel show openai-main')
}

function describe(report: Report & { readonly key_hints: readonly string[] }): readonly string[] {
  const { timeouts } = report
  return formatPairs([
    ['Name', report.name],
    ['Status', report.status],
    ...Object.entries(report.speaks).map(([name, url]) => [`Speaks ${name}`, url] as const),
    ['Keys', report.key_hints.join(', ')],
    ['Models', modelNames(report).join(', ')],
    ['Groups', listed(report.groups, 'none: nobody can call it')],
    ['Priority', String(report.priority)],
    ['Weight', String(report.weight)],
    ['Time to connect', humanDuration(timeouts.connect_ms)],
    ['… to first byte', humanDuration(timeouts.first_byte_ms)],
    ['… of silence', humanDuration(timeouts.idle_ms)],
    ['… in all', humanDuration(timeouts.total_ms)],
    ['Private address', report.allow_private ? 'allowed' : 'refused'],
    ['Quirks', listed(report.quirks, 'none')],
  ])
}

const switchable: Switchable<string> = {
  argument: nameArgument,
  example: 'openai-main',
  async find({ store }, name) {
    const rows = await store.catalog.load()
    const row = findNamed('channel', name, rows.channels)
    const { id: _, keysSealed: __, ...settings } = row
    const { groups } = channelReport(row, rows)
    return {
      label: `channel "${name}"`,
      consequence: groups.length > 0 ? `It is part of ${groups.join(', ')}.` : '',
      withStatus: (status) => ({ channels: [{ ...settings, status }] }),
      remove: { channels: [name] },
    }
  },
}
