import type { Command } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { type GroupReport, groupReport } from '../app/report/resources.ts'
import { groupFields } from '../resources/group.ts'
import type { GroupSettings } from '../store/ports/catalog.ts'
import { complainOfMembers } from '../store/ports/group-access.ts'
import { complain, UsageError } from './errors.ts'
import { addSetOptions, namedFields } from './field-options.ts'
import { findCountryHeader, warnOfGroup } from './file-word.ts'
import { readNamed } from './fragment.ts'
import { byCommandLine, findNamed, groupArgument } from './lookup.ts'
import { addAllCountries, namedRegions, type RegionOptions } from './regions.ts'
import { type AnyOptions, addReporting } from './resource-commands.ts'

const settable = { accounts: groupFields.accounts, tools: groupFields.tools }

/** `tollgate group set`: unnamed fields stay. */
export const addSet = (
  group: Command,
  describe: (report: GroupReport) => readonly string[],
): void =>
  addReporting(group, 'set', {
    help: 'change whom a group is for, which tools of vendors it allows, or which countries it answers',
    args: [groupArgument()],
    extend(command) {
      addSetOptions(command, settable)
      addAllCountries(command)
    },
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

async function setGroup(instance: Instance, options: AnyOptions & RegionOptions, name: string) {
  const { store } = instance
  const named = { ...namedFields(settable, options), ...namedRegions(options) }
  if (Object.keys(named).length === 0)
    throw new UsageError(
      'Say whom it is for: --accounts with their e-mails, or --open for all; or what it allows: --tools with their names, or --all-tools; or where requests may come from: --allow-countries, --deny-countries, or --all-countries.',
    )
  const { id: _, ...settings } = findNamed('group', name, (await store.catalog.load()).groups)
  const header = await findCountryHeader(options, instance)
  const changed = readNamed(groupFields, named, (entry) => loadEntry.group(entry, header))
  await store.admin.write({ groups: [{ ...settings, ...changed } as GroupSettings] }, byCommandLine)
  const rows = await store.catalog.load()
  return groupReport(findNamed('group', name, rows.groups), rows)
}

/** Warns of addresses that admit no account. */
export async function remarkOnMembers(
  { store }: Instance,
  accounts: readonly string[] | null,
): Promise<void> {
  if (accounts === null) return
  const known = await store.admin.accountsAt(accounts)
  for (const { email, complaint } of complainOfMembers(accounts, known))
    complain(`warning: ${email} ${complaint}`)
}
