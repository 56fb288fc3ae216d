import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import { groupReport, type GroupReport as Report } from '../app/report/resources.ts'
import { counted, listed } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { readFragment, writesOf } from './fragment.ts'
import { addAccountsOption, addSet, addToolsOption, remarkOnMembers } from './group-set.ts'
import { addLimitOptions, describeLimits, type LimitOptions, namedLimits } from './limits.ts'
import { byCommandLine, findNamed, groupArgument, requireFree } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines, writeList } from './output.ts'
import { addRegionOptions, describeRegions, type RegionOptions, readRegions } from './regions.ts'
import { addSwitches, type Switchable } from './switches.ts'

interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate group …`: what tokens may call, and at which multiplier. */
export function addGroupCommands(program: Command): void {
  const group = program
    .command('group')
    .description('groups: list, add, show, set, disable, enable, remove')
  addList(group)
  addAdd(group)
  addShow(group)
  addSet(group, describe)
  addSwitches(group, switchable)
  withExamples(group, 'tollgate group add main --channel openai-main --multiplier 0.8')
}

const columns = [
  { title: 'NAME', text: ({ name }: Report) => name },
  { title: 'STATUS', text: ({ status }: Report) => status },
  { title: '×', text: ({ rate_multiplier }: Report) => String(rate_multiplier), right: true },
  { title: 'CHANNELS', text: ({ channels }: Report) => listed(channels, 'none') },
  { title: 'FOR', text: ({ accounts }: Report) => forWhom(accounts) },
  { title: 'LIMITS', text: ({ limits }: Report) => describeLimits(limits) },
  { title: 'MODELS', text: (row: Report) => String(row.callable_models.length), right: true },
]

const forWhom = (accounts: Report['accounts']) =>
  accounts === null ? 'all' : counted(accounts.length, 'account')

async function loadReport({ store }: Instance, name: string): Promise<Report> {
  const rows = await store.catalog.load()
  return groupReport(findNamed('group', name, rows.groups), rows)
}

function addList(group: Command): void {
  const command = group
    .command('list')
    .description('list groups; MODELS counts what can be called now')
    .option('--json', 'as JSON')
    .action(async (options: JsonOption) =>
      withStore(options, async ({ store }) => {
        const rows = await store.catalog.load()
        const reports = rows.groups.map((row) => groupReport(row, rows))
        await writeList(reports, columns, { json: options.json, none: 'No groups.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate group list')
}

interface AddOptions extends JsonOption, LimitOptions, RegionOptions {
  readonly channel: readonly string[]
  readonly multiplier: string
  readonly model: readonly string[]
  readonly platform: string
  readonly description: string
  readonly accounts?: readonly string[]
  readonly tools?: readonly string[]
}

function addAdd(group: Command): void {
  const command = group
    .command('add')
    .description('make a group')
    .addArgument(groupArgument())
    .requiredOption('--channel <name...>', 'its channels')
    .option('--multiplier <number>', 'its rate multiplier', '1')
    .option('--model <id...>', 'only these models (default: all of its channels)', [])
    .option('--platform <word>', 'what the price pages call its vendor', '')
    .option('--description <text>', 'what the price pages say about it', '')
    .option('--json', 'as JSON')
    .action(async (name: string, options: AddOptions) =>
      withStore(options, async (instance) => {
        const report = await createGroup(instance, name, options)
        await remarkOnMembers(instance, report.accounts)
        if (options.json) return writeJson(report)
        await writeLines([
          `Group ${name} can call: ${listed(report.callable_models, 'nothing yet')}.`,
        ])
        if (report.models_without_price.length > 0)
          await writeLines([
            `Without a price, so not callable: ${listed(report.models_without_price, '')}.`,
          ])
      }),
    )
  addAccountsOption(command)
  addToolsOption(command)
  addRegionOptions(command)
  addLimitOptions(command)
  withExamples(
    withConfig(command),
    'tollgate group add main --channel openai-main --multiplier 0.8',
    'tollgate group add trial --channel openai-main --rpm 60 --concurrency 5',
    'tollgate group add staff --channel openai-main --multiplier 0.1 --accounts ann@example.com',
  )
}

async function createGroup(instance: Instance, name: string, options: AddOptions) {
  const { store } = instance
  const config = readFragment({
    groups: [
      {
        name,
        description: options.description,
        platform: options.platform,
        rate_multiplier: options.multiplier,
        channels: options.channel,
        models: options.model,
        limits: namedLimits(options) ?? {},
        ...(options.accounts && { accounts: options.accounts }),
        ...(options.tools && { tools: options.tools }),
      },
    ],
  })
  const { groups, channels } = await store.catalog.load()
  requireFree(
    'group',
    name,
    groups.some((one) => one.name === name),
  )
  for (const channel of options.channel) findNamed('channel', channel, channels)
  const writes = await writesOf(config, instance)
  const regions = await readRegions(options, instance)
  const made = writes.groups?.map((group) => ({ ...group, regions }))
  await store.admin.write({ ...writes, ...(made && { groups: made }) }, byCommandLine)
  return loadReport(instance, name)
}

function addShow(group: Command): void {
  const command = group
    .command('show')
    .description('show a group and what can be called in it')
    .addArgument(groupArgument())
    .option('--json', 'as JSON')
    .action(async (name: string, options: JsonOption) =>
      withStore(options, async (instance) => {
        const report = await loadReport(instance, name)
        if (options.json) return writeJson(report)
        await writeLines(describe(report))
      }),
    )
  withExamples(withConfig(command), 'tollgate group show main')
}

const leavingWords: Readonly<Record<Report['on_disconnect'], string>> = {
  bill_observed:
    'what was seen is billed; what a vendor does unseen (reasoning, images) is read to its end',
  drain: 'every answer is read to its end',
}

function describe(report: Report): readonly string[] {
  return formatPairs([
    ['Name', report.name],
    ['Status', report.status],
    ['Description', report.description],
    ['Platform', report.platform],
    ['Rate multiplier', String(report.rate_multiplier)],
    ['Channels', listed(report.channels, 'none')],
    ['Restricted to', listed(report.models, 'nothing: all that its channels offer')],
    ['Callable now', listed(report.callable_models, 'nothing')],
    ['Without a price', listed(report.models_without_price, 'none')],
    ['Long-context prices', report.long_context_pricing ? 'yes' : 'no'],
    ['When a client leaves', `${report.on_disconnect}: ${leavingWords[report.on_disconnect]}`],
    ['Limits', describeLimits(report.limits)],
    ['Tools of vendors', report.tools === null ? 'all with a price' : listed(report.tools, 'none')],
    ['Countries', describeRegions(report.regions)],
    ['For', report.accounts === null ? 'all accounts' : listed(report.accounts, 'nobody')],
  ])
}

const switchable: Switchable<string> = {
  argument: groupArgument,
  example: 'main',
  async find({ store }, name) {
    const { id: _, ...settings } = findNamed('group', name, (await store.catalog.load()).groups)
    return {
      label: `group "${name}"`,
      consequence: '',
      withStatus: (status) => ({ groups: [{ ...settings, status }] }),
      remove: { groups: [name] },
    }
  },
}
