import { type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { type AccountReport, accountReport, tokenReports } from '../app/report/resources.ts'
import { usd } from '../billing/money.ts'
import { counted } from '../lib/format.ts'
import { accountFields } from '../resources/account.ts'
import { toWritten } from '../resources/resource.ts'
import { addCredit, addDebit, addLedger } from './account-balance.ts'
import { addPassword, addResetTwoFactor } from './account-password.ts'
import { addSet, roleOption } from './account-set.ts'
import { accountColumns, describeDetails } from './account-text.ts'
import { addFieldOptions, namedFields } from './field-options.ts'
import { findBalanceLow } from './file-word.ts'
import { readFragment, writesOf } from './fragment.ts'
import { allTokens, byCommandLine, emailArgument, findAccount, requireFree } from './lookup.ts'
import { type AnyOptions, addReporting, addResource, type Resource } from './resource-commands.ts'

interface AddOptions extends AnyOptions {
  readonly role: string
  readonly balance: string
}

const addAdd = (account: Command): void =>
  addReporting(account, 'add', {
    help: 'make an account',
    args: [emailArgument()],
    options: [
      roleOption().default('user'),
      new Option('--balance <usd>', 'its opening balance').default('0'),
    ],
    extend: (command) => addFieldOptions(command, accountFields),
    examples: [
      'tollgate account add someone@example.com --balance 10',
      'tollgate account add team@example.com --credit-limit 500',
    ],
    run: createAccount,
    lines: ({ email, balance_nano }) => [
      `Account ${email} has ${usd(balance_nano)}. Its first token: ` +
        `tollgate token add --account ${email} --group …`,
    ],
  })

async function createAccount(instance: Instance, options: AddOptions, email: string) {
  const { admin } = instance.store
  const { role, balance } = options
  const named = toWritten(accountFields, namedFields(accountFields, options))
  const config = readFragment({ accounts: [{ email, role, balance, ...named }] })
  requireFree('account', email, (await admin.account(email)) ? [email] : [])
  await admin.write(await writesOf(config, instance), byCommandLine)
  const made = await findAccount(instance, email)
  return { ...accountReport(made, await findBalanceLow(options, instance)), tokens: [] }
}

const accounts: Resource<string, AccountReport, Parameters<typeof describeDetails>[0]> = {
  name: 'account',
  help: 'accounts: list, add, show, set, password, credit, debit, ledger, disable, …',
  examples: [
    'tollgate account add someone@example.com --balance 10',
    'tollgate account credit someone@example.com 20 --reason "invoice 7"',
  ],
  add: addAdd,
  others(account) {
    addSet(account)
    addPassword(account)
    addResetTwoFactor(account)
    addCredit(account)
    addDebit(account)
    addLedger(account)
  },
  argument: emailArgument,
  list: {
    help: 'list accounts; LOW marks balances below their threshold, and those below their credit limit',
    examples: ['tollgate account list'],
    ...{ columns: accountColumns, none: 'No accounts.' },
    async rows(instance, options) {
      const low = await findBalanceLow(options, instance)
      return (await instance.store.admin.accounts()).map((row) => accountReport(row, low))
    },
  },
  show: {
    help: 'show an account with its balance and its tokens',
    examples: ['tollgate account show someone@example.com --json'],
    describe: describeDetails,
    async read(instance, email, options) {
      const found = await findAccount(instance, email)
      const tokens = await allTokens(instance, { account: email })
      const { admin } = instance.store
      const [owing] = (await admin.overdrawn({ accountId: found.id, atMost: 1 })).accounts
      return {
        ...accountReport(found, await findBalanceLow(options, instance)),
        ...(owing && { overdrawn_by: owing.requestId }),
        tokens: await tokenReports(instance.store, tokens),
      }
    },
  },
  example: 'someone@example.com',
  async find(instance, reference) {
    const { email, role, balanceNano, tokenCount } = await findAccount(instance, reference)
    return {
      label: `account ${email}`,
      consequence: `Its balance is ${usd(balanceNano)}; ${counted(tokenCount, 'token')} go with it.`,
      withStatus: (status) => ({ accounts: [{ email, role, status, openingNano: 0 }] }),
      remove: { accounts: [email] },
    }
  },
}

/** `tollgate account …`: owners of tokens and of a balance. */
export const addAccountCommands = (program: Command): void => addResource(program, accounts)
