import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import { groupReport, type GroupReport as Report } from '../app/report/resources.ts'
import { counted, listed } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { groupFields } from '../resources/group.ts'
import { toWritten } from '../resources/resource.ts'
import { addFieldOptions, fieldColumns, fieldLines, namedFields } from './field-options.ts'
import { findCountryHeader } from './file-word.ts'
import { readFragment, writesOf } from './fragment.ts'
import { addSet, remarkOnMembers } from './group-set.ts'
import { byCommandLine, findNamed, groupArgument, requireFree } from './lookup.ts'
import { withExamples } from './open.ts'
import { addRegionOptions, namedRegions, type RegionOptions } from './regions.ts'
import {
  type AnyOptions,
  addList,
  addReporting,
  addShow,
  addSwitches,
  type Resource,
} from './resource-commands.ts'

/** `tollgate group …`: what tokens may call, and at which multiplier. */
export function addGroupCommands(program: Command): void {
  const group = program
    .command('group')
    .description('groups: list, add, show, set, disable, enable, remove')
  addList(group, groups)
  addAdd(group)
  addShow(group, groups)
  addSet(group, describe)
  addSwitches(group, groups)
  withExamples(group, 'tollgate group add main --channel openai-main --multiplier 0.8')
}

const { limits, ...others } = groupFields

const columns = [
  { title: 'NAME', text: ({ name }: Report) => name },
  { title: 'STATUS', text: ({ status }: Report) => status },
  ...fieldColumns(others),
  { title: 'FOR', text: ({ accounts }: Report) => forWhom(accounts) },
  ...fieldColumns({ limits }),
  { title: 'MODELS', text: (row: Report) => String(row.callable_models.length), right: true },
]

const forWhom = (accounts: Report['accounts']) =>
  accounts === null ? 'all' : counted(accounts.length, 'account')

async function loadReport({ store }: Instance, name: string): Promise<Report> {
  const rows = await store.catalog.load()
  return groupReport(findNamed('group', name, rows.groups), rows)
}

interface AddOptions extends AnyOptions, RegionOptions {
  readonly channel: readonly string[]
}

const addAdd = (group: Command): void =>
  addReporting(group, 'add', {
    help: 'make a group',
    args: [groupArgument()],
    extend(command) {
      addFieldOptions(command, groupFields)
      addRegionOptions(command)
    },
    examples: [
      'tollgate group add main --channel openai-main --multiplier 0.8',
      'tollgate group add trial --channel openai-main --rpm 60 --concurrency 5',
      'tollgate group add staff --channel openai-main --multiplier 0.1 --accounts ann@example.com',
    ],
    async run(instance, options: AddOptions, name: string) {
      const report = await createGroup(instance, name, options)
      await remarkOnMembers(instance, report.accounts)
      return report
    },
    lines: ({ name, callable_models, models_without_price: unpriced }) => [
      `Group ${name} can call: ${listed(callable_models, 'nothing yet')}.`,
      ...(unpriced.length > 0
        ? [`Without a price, so not callable: ${listed(unpriced, '')}.`]
        : []),
    ],
  })

async function createGroup(instance: Instance, name: string, options: AddOptions) {
  const { store } = instance
  const named = { ...namedFields(groupFields, options), ...namedRegions(options) }
  const header = await findCountryHeader(options, instance)
  const config = readFragment({ groups: [{ name, ...toWritten(groupFields, named) }] }, header)
  const { groups, channels } = await store.catalog.load()
  requireFree(
    'group',
    name,
    groups.some((one) => one.name === name),
  )
  for (const channel of options.channel) findNamed('channel', channel, channels)
  await store.admin.write(await writesOf(config, instance), byCommandLine)
  return loadReport(instance, name)
}

const describe = (report: Report): readonly string[] =>
  formatPairs([
    ['Name', report.name],
    ['Status', report.status],
    ...fieldLines(groupFields, report),
    ['Callable now', listed(report.callable_models, 'nothing')],
    ['Without a price', listed(report.models_without_price, 'none')],
  ])

const groups: Resource<string, Report> = {
  argument: groupArgument,
  example: 'main',
  list: {
    help: 'list groups; MODELS counts what can be called now',
    examples: ['tollgate group list'],
    ...{ columns, none: 'No groups.' },
    async rows({ store }) {
      const rows = await store.catalog.load()
      return rows.groups.map((row) => groupReport(row, rows))
    },
  },
  show: {
    help: 'show a group and what can be called in it',
    examples: ['tollgate group show main'],
    ...{ read: loadReport, describe },
  },
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
