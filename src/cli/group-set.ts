import type { Command } from 'commander'
import type { Instance } from '../app/instance.ts'
import type { GroupReport } from '../app/report/resources.ts'
import { groupReport } from '../app/report/resources.ts'
import { complainOfMembers } from '../store/ports/group-access.ts'
import { complain, UsageError } from './errors.ts'
import { warnOfGroup } from './file-word.ts'
import { readFragment } from './fragment.ts'
import { byCommandLine, findNamed, groupArgument } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { addAllCountries, namesRegions, type RegionOptions, readRegions } from './regions.ts'
import { withCommas } from './values.ts'

interface SetOptions extends ConfigOption, RegionOptions {
  readonly accounts?: readonly string[]
  readonly open?: boolean
  readonly tools?: readonly string[]
  readonly allTools?: boolean
  readonly json?: boolean
}

/** Adds the option that says which accounts may use a group. */
export const addAccountsOption = (command: Command): Command =>
  command.option(
    '--accounts <emails>',
    'only for these accounts: e-mails with commas between (default: for all)',
    withCommas,
  )

/** Adds the option that says which tools of vendors a group allows. */
export const addToolsOption = (command: Command): Command =>
  command.option(
    '--tools <names>',
    'only these tools of vendors: names with commas between, "" for none (default: all with a price)',
    withCommas,
  )

/** `tollgate group set`: whom a group is for and what it allows; what is not named stays as it is. */
export function addSet(group: Command, describe: (report: GroupReport) => readonly string[]): void {
  const command = group
    .command('set')
    .description(
      'change whom a group is for, which tools of vendors it allows, or which countries it answers',
    )
    .addArgument(groupArgument())
    .option('--open', 'for all accounts')
    .option('--all-tools', 'all tools that have a price')
    .option('--json', 'as JSON')
    .action((name: string, options: SetOptions) =>
      withStore(options, async (instance) => {
        const report = await setGroup(instance, name, options)
        if (options.json) await writeJson(report)
        else await writeLines(describe(report))
        if (options.accounts) await remarkOnMembers(instance, report.accounts)
        await warnOfGroup(options, name, report)
      }),
    )
  addAccountsOption(command)
  addToolsOption(command)
  addAllCountries(command)
  withExamples(
    withConfig(command),
    'tollgate group set staff --accounts ann@example.com,bob@example.com',
    'tollgate group set staff --open',
    'tollgate group set trial --tools web_search,code_execution',
    'tollgate group set trial --allow-countries CN,US',
  )
}

async function setGroup(instance: Instance, name: string, options: SetOptions) {
  const { store } = instance
  const { accounts, open, tools, allTools } = options
  const isTwice = (accounts && open) || (tools && allTools)
  const isNothing = (accounts ?? open ?? tools ?? allTools) === undefined && !namesRegions(options)
  if (isTwice || isNothing)
    throw new UsageError(
      'Say whom it is for: --accounts with their e-mails, or --open for all; or what it allows: --tools with their names, or --all-tools; or where requests may come from: --allow-countries, --deny-countries, or --all-countries.',
    )
  const { id: _, ...settings } = findNamed('group', name, (await store.catalog.load()).groups)
  const said = { ...(accounts && { accounts }), ...(tools && { tools }) }
  const [read] = readFragment({ groups: [{ name, channels: [], ...said }] }).groups
  const changed = {
    ...settings,
    ...((accounts || open) && { accounts: read?.accounts ?? null }),
    ...((tools || allTools) && { tools: read?.tools ?? null }),
    ...(namesRegions(options) && { regions: await readRegions(options, instance) }),
  }
  await store.admin.write({ groups: [changed] }, byCommandLine)
  const rows = await store.catalog.load()
  return groupReport(findNamed('group', name, rows.groups), rows)
}

/** Warns of addresses that let nobody in. */
export async function remarkOnMembers(
  { store }: Instance,
  accounts: readonly string[] | null,
): Promise<void> {
  if (accounts === null) return
  const known = await store.admin.accountsAt(accounts)
  for (const { email, complaint } of complainOfMembers(accounts, known))
    complain(`warning: ${email} ${complaint}`)
}
