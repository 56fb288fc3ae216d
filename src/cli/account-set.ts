import { type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { accountReport } from '../app/report/resources.ts'
import { formatPairs } from '../lib/table.ts'
import { describeAccount } from './account-text.ts'
import { UsageError } from './errors.ts'
import { findBalanceLow, warnOfAccount } from './file-word.ts'
import { addLimitOptions, type LimitOptions, namedLimits } from './limits.ts'
import { commandLine, emailArgument, findAccount } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { writeJson, writeLines } from './output.ts'
import { addAllCountries, namesRegions, type RegionOptions, readRegions } from './regions.ts'
import { orNull, parseUsd, parseUsdOrNone } from './values.ts'

interface SetOptions extends ConfigOption, LimitOptions, RegionOptions {
  readonly creditLimit?: number
  readonly lowBalance?: number | 'none'
  readonly role?: 'admin' | 'user'
  readonly vouch?: boolean
  readonly json?: boolean
}

/** `tollgate account set`: what is not named stays as it is. */
export function addSet(account: Command): void {
  const role = new Option('--role <role>', 'what it may do in the console')
  const command = account
    .command('set')
    .description('change what is named of an account, and nothing else')
    .addArgument(emailArgument())
    .option('--credit-limit <usd>', 'how far below zero the balance may go; 0: prepaid', parseUsd)
    .option(
      '--low-balance <usd>',
      'below this the balance is low; none: as the settings say',
      parseUsdOrNone,
    )
    .addOption(role.choices(['user', 'admin']))
    .option('--vouch', "its address is its owner's: the file and groups may name it")
    .option('--json', 'as JSON')
    .action((email: string, options: SetOptions) =>
      withStore(options, (instance) => setAccount(instance, email, options)),
    )
  addLimitOptions(command)
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
  const { creditLimit, lowBalance, role, vouch, json } = options
  const limits = namedLimits(options)
  const change = {
    ...(creditLimit !== undefined && { creditLimitNano: creditLimit }),
    ...(lowBalance !== undefined && { balanceLowNano: orNull(lowBalance) }),
    ...(role !== undefined && { role }),
    ...(vouch && { isVouched: true as const }),
    ...(limits && { limits }),
    ...(namesRegions(options) && { regions: await readRegions(options, instance) }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError(
      'Name what is to change: --credit-limit, --low-balance, --rpm, --tpm, --concurrency, --allow-countries, --deny-countries, --all-countries, --role or --vouch.',
    )
  await findAccount(instance, email)
  await instance.store.admin.changeAccount({ ...change, account: email, actor: commandLine })
  const changed = await findAccount(instance, email)
  const report = accountReport(changed, await findBalanceLow(options, instance))
  if (json) await writeJson(report)
  else await writeLines(formatPairs(describeAccount(report)))
  await warnOfAccount(options, email, [
    ...(creditLimit === undefined ? [] : (['credit_limit'] as const)),
    ...(lowBalance === undefined ? [] : (['balance_low_threshold'] as const)),
    ...(role === undefined ? [] : (['role'] as const)),
    ...(limits === undefined ? [] : (['limits'] as const)),
    ...(namesRegions(options) ? (['regions'] as const) : []),
  ])
}
