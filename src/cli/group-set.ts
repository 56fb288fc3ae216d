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

interface SetOptions extends ConfigOption {
  readonly accounts?: readonly string[]
  readonly open?: boolean
  readonly json?: boolean
}

/** Adds the options that say which accounts may use a group. */
export const addAccountsOption = (command: Command): Command =>
  command.option(
    '--accounts <emails>',
    'only for these accounts: e-mails with commas between (default: for all)',
    (text: string) => text.split(',').map((email) => email.trim()),
  )

/** `tollgate group set`: whom a group is for; what is not named stays as it is. */
export function addSet(group: Command, describe: (report: GroupReport) => readonly string[]): void {
  const command = group
    .command('set')
    .description('change whom a group is for, and nothing else')
    .addArgument(groupArgument())
    .option('--open', 'for all accounts')
    .option('--json', 'as JSON')
    .action((name: string, options: SetOptions) =>
      withStore(options, async (instance) => {
        const report = await setGroup(instance, name, options)
        if (options.json) await writeJson(report)
        else await writeLines(describe(report))
        await remarkOnMembers(instance, report.accounts)
        await warnOfGroup(options, name, report.accounts)
      }),
    )
  addAccountsOption(command)
  withExamples(
    withConfig(command),
    'tollgate group set staff --accounts ann@example.com,bob@example.com',
    'tollgate group set staff --open',
  )
}

async function setGroup({ store }: Instance, name: string, { accounts, open }: SetOptions) {
  if ((accounts === undefined) === (open === undefined))
    throw new UsageError('Say whom it is for: --accounts with their e-mails, or --open for all.')
  const { id: _, ...settings } = findNamed('group', name, (await store.catalog.load()).groups)
  const [read] = accounts ? readFragment({ groups: [{ name, channels: [], accounts }] }).groups : []
  const changed = { ...settings, accounts: read?.accounts ?? null }
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
