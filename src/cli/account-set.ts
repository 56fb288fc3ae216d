import { type Command, Option } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { accountReport } from '../app/report/resources.ts'
import { formatPairs } from '../lib/table.ts'
import { accountFields } from '../resources/account.ts'
import { describeAccount } from './account-text.ts'
import { addSetOptions, namedFields, requireSome } from './field-options.ts'
import { findBalanceLow, findCountryHeader, warnOfAccount } from './file-word.ts'
import { readNamed } from './fragment.ts'
import { commandLine, emailArgument, findAccount } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { addAllCountries, namedRegions, type RegionOptions } from './regions.ts'

interface SetOptions extends ConfigOption, RegionOptions {
  readonly [name: string]: unknown
  readonly role?: 'admin' | 'user'
  readonly vouch?: boolean
  readonly json?: boolean
}

/** `tollgate account set`: unnamed fields stay. */
export function addSet(account: Command): void {
  const role = new Option('--role <role>', 'what it may do in the console')
  const command = account
    .command('set')
    .description('change what is named of an account, and nothing else')
    .addArgument(emailArgument())
    .addOption(role.choices(['user', 'admin']))
    .option('--vouch', "its address is its owner's: the file and groups may name it")
    .option('--json', 'as JSON')
    .action((email: string, options: SetOptions) =>
      withStore(options, (instance) => setAccount(instance, email, options)),
    )
  addSetOptions(command, accountFields)
  addAllCountries(command)
  withExamples(
    withConfig(command),
    'tollgate account set team@example.com --credit-limit 500',
    'tollgate account set team@example.com --low-balance none',
    'tollgate account set team@example.com --rpm 600 --concurrency 20',
    'tollgate account set team@example.com --deny-countries CN',
    'tollgate account set owner@example.com --vouch --role admin',
  )
}

async function setAccount(instance: Instance, email: string, options: SetOptions): Promise<void> {
  const { role, vouch, json } = options
  const named = {
    ...namedFields(accountFields, options),
    ...namedRegions(options),
    ...(role !== undefined && { role }),
  }
  const others = ['--allow-countries', '--deny-countries', '--all-countries', '--role', '--vouch']
  requireSome(vouch ? { vouch } : named, accountFields, others)
  const header = await findCountryHeader(options, instance)
  const fields = readNamed(accountFields, named, (entry) => loadEntry.account(entry, header))
  await findAccount(instance, email)
  const change = { ...fields, ...(vouch && { isVouched: true as const }) }
  await instance.store.admin.changeAccount({ ...change, account: email, actor: commandLine })
  const changed = await findAccount(instance, email)
  const report = accountReport(changed, await findBalanceLow(options, instance))
  if (json) await writeJson(report)
  else await writeLines(formatPairs(describeAccount(report)))
  await warnOfAccount(options, email, named)
}
