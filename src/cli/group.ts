import type { Command } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { groupReport, type GroupReport as Report } from '../app/report/resources.ts'
import { counted, listed } from '../lib/format.ts'
import { formatPairs } from '../lib/table.ts'
import { groupFields } from '../resources/group.ts'
import { toWritten } from '../resources/resource.ts'
import type { GroupSettings } from '../store/ports/catalog.ts'
import { complainOfMembers } from '../store/ports/group-access.ts'
import { complain, UsageError } from './errors.ts'
import {
  addFieldOptions,
  addSetOptions,
  fieldColumns,
  fieldLines,
  namedFields,
} from './field-options.ts'
import { findCountryHeader, warnOfGroup } from './file-word.ts'
import { readFragment, readNamed, writesOf } from './fragment.ts'
import { byCommandLine, findNamed, groupArgument, namesOf, requireFree } from './lookup.ts'
import { type AnyOptions, addReporting, addResource, type Resource } from './resource-commands.ts'

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

interface AddOptions extends AnyOptions {
  readonly channel: readonly string[]
}

const addAdd = (group: Command): void =>
  addReporting(group, 'add', {
    help: 'make a group',
    args: [groupArgument()],
    extend: (command) => addFieldOptions(command, groupFields),
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
  const named = namedFields(groupFields, options)
  const header = await findCountryHeader(options, instance)
  const config = readFragment({ groups: [{ name, ...toWritten(groupFields, named) }] }, header)
  const { groups, channels } = await store.catalog.load()
  requireFree('group', name, namesOf(groups))
  for (const channel of options.channel) findNamed('channel', channel, channels)
  await store.admin.write(await writesOf(config, instance), byCommandLine)
  if (config.groups.some(({ multiplierMillionths }) => multiplierMillionths === 0))
    complain(`warning: the multiplier is 0: every request in the group ${name} is free`)
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

const { accounts, tools, regions } = groupFields
const settable = { accounts, tools, regions }

/** `tollgate group set`: unnamed fields stay. */
const addSet = (group: Command): void =>
  addReporting(group, 'set', {
    help: 'change whom a group is for, which tools of vendors it allows, or which countries it answers',
    args: [groupArgument()],
    extend: (command) => addSetOptions(command, settable),
    examples: [
      'tollgate group set staff --accounts ann@example.com,bob@example.com',
      'tollgate group set staff --open',
      'tollgate group set trial --tools web_search,code_execution',
      'tollgate group set trial --allow-countries CN,US',
    ],
    run: setGroup,
    lines: describe,
    async after(instance, report, options) {
      if (options.accounts) await remarkOnMembers(instance, report.accounts)
      await warnOfGroup(options, report.name, report)
    },
  })

async function setGroup(instance: Instance, options: AnyOptions, name: string) {
  const { store } = instance
  const named = namedFields(settable, options)
  if (Object.keys(named).length === 0)
    throw new UsageError(
      'Say whom it is for: --accounts with their e-mails, or --open for all; or what it allows: --tools with their names, or --all-tools; or where requests may come from: --allow-countries, --deny-countries, or --all-countries.',
    )
  const { id: _, ...settings } = findNamed('group', name, (await store.catalog.load()).groups)
  const header = await findCountryHeader(options, instance)
  const changed = readNamed(groupFields, named, (entry) => loadEntry.group(entry, header))
  await store.admin.write({ groups: [{ ...settings, ...changed } as GroupSettings] }, byCommandLine)
  return loadReport(instance, name)
}

/** Warns of addresses that admit no account. */
async function remarkOnMembers(
  { store }: Instance,
  accounts: readonly string[] | null,
): Promise<void> {
  if (accounts === null) return
  const known = await store.admin.accountsAt(accounts)
  for (const { email, complaint } of complainOfMembers(accounts, known))
    complain(`warning: ${email} ${complaint}`)
}

const groups: Resource<string, Report> = {
  name: 'group',
  help: 'groups: list, add, show, set, disable, enable, remove',
  examples: ['tollgate group add main --channel openai-main --multiplier 0.8'],
  ...{ add: addAdd, others: addSet },
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

/** `tollgate group …`: what tokens may call, and at which multiplier. */
export const addGroupCommands = (program: Command): void => addResource(program, groups)
