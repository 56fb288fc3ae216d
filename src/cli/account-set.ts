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
import { type AnyOptions, addReporting } from './resource-commands.ts'

interface SetOptions extends AnyOptions {
  readonly role?: string
  readonly vouch?: boolean
}

export const roleOption = () =>
  new Option('--role <role>', 'what it may do in the console').choices(['user', 'admin'])

/** `tollgate account set`: unnamed fields stay. */
export const addSet = (account: Command): void =>
  addReporting(account, 'set', {
    help: 'change what is named of an account, and nothing else',
    args: [emailArgument()],
    options: [
      roleOption(),
      ['--vouch', "its address is its owner's: the file and groups may name it"],
    ],
    extend: (command) => addSetOptions(command, accountFields),
    examples: [
      'tollgate account set team@example.com --credit-limit 500',
      'tollgate account set team@example.com --low-balance none',
      'tollgate account set team@example.com --rpm 600 --concurrency 20',
      'tollgate account set team@example.com --deny-countries CN',
      'tollgate account set owner@example.com --vouch --role admin',
    ],
    run: setAccount,
    lines: (report) => formatPairs(describeAccount(report)),
    after: (_instance, { email }, options: SetOptions) =>
      warnOfAccount(options, email, namedIn(options)),
  })

const namedIn = (options: SetOptions): object => ({
  ...namedFields(accountFields, options),
  ...(options.role !== undefined && { role: options.role }),
})

async function setAccount(instance: Instance, options: SetOptions, email: string) {
  const named = namedIn(options)
  requireSome(options.vouch ? { vouch: true } : named, accountFields, ['--role', '--vouch'])
  const header = await findCountryHeader(options, instance)
  const fields = readNamed(accountFields, named, (entry) => loadEntry.account(entry, header))
  await findAccount(instance, email)
  const change = { ...fields, ...(options.vouch && { isVouched: true as const }) }
  await instance.store.admin.changeAccount({ ...change, account: email, actor: commandLine })
  return accountReport(await findAccount(instance, email), await findBalanceLow(options, instance))
}
