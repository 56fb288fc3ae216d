import { Argument, type Command, Option } from 'commander'
import type { Instance } from '../app/instance.ts'
import { accountDetails, accountReport } from '../app/report/resources.ts'
import { counted, humanTime, usd } from './format.ts'
import { readFragment, writesOf } from './fragment.ts'
import { allTokens, findAccount, requireFree } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { formatPairs, formatTable, writeJson, writeLines, writeList } from './output.ts'
import { addSwitches, type Switchable } from './switches.ts'
import { tokenColumns } from './token.ts'

interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate account …`: owners of tokens and of a balance. */
export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('accounts: list, add, show, disable, enable, remove')
  addList(account)
  addAdd(account)
  addShow(account)
  addSwitches(account, switchable)
  withExamples(account, 'tollgate account add someone@example.com --balance 10')
}

const emailArgument = () => new Argument('<email>', 'its e-mail address')

type Report = ReturnType<typeof accountReport>

const columns = [
  { title: 'EMAIL', text: ({ email }: Report) => email },
  { title: 'ROLE', text: ({ role }: Report) => role },
  { title: 'STATUS', text: ({ status }: Report) => status },
  { title: 'BALANCE', text: ({ balance_nano }: Report) => usd(balance_nano), right: true },
  { title: 'TOKENS', text: ({ token_count }: Report) => String(token_count), right: true },
]

function addList(account: Command): void {
  const command = account
    .command('list')
    .description('list accounts')
    .option('--json', 'as JSON')
    .action(async (options: JsonOption) =>
      withStore(options, async ({ store }) => {
        const rows = (await store.admin.accounts()).map(accountReport)
        await writeList(rows, columns, { json: options.json, none: 'No accounts.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate account list')
}

interface AddOptions extends JsonOption {
  readonly role: string
  readonly balance: string
}

function addAdd(account: Command): void {
  const role = new Option('--role <role>', 'what it may do in the console')
  const command = account
    .command('add')
    .description('make an account')
    .addArgument(emailArgument())
    .addOption(role.choices(['user', 'admin']).default('user'))
    .option('--balance <usd>', 'its opening balance', '0')
    .option('--json', 'as JSON')
    .action(async (email: string, options: AddOptions) =>
      withStore(options, async (instance) => {
        const report = await createAccount(instance, email, options)
        if (options.json) return writeJson(report)
        const { balance_nano } = report
        await writeLines([
          `Account ${email} has ${usd(balance_nano)}. Its first token: ` +
            `tollgate token add --account ${email} --group …`,
        ])
      }),
    )
  withExamples(withConfig(command), 'tollgate account add someone@example.com --balance 10')
}

async function createAccount(instance: Instance, email: string, options: AddOptions) {
  const { admin } = instance.store
  const { role, balance } = options
  const config = readFragment({ accounts: [{ email, role, balance }] })
  requireFree('account', email, (await admin.account(email)) !== undefined)
  await admin.write(await writesOf(config, instance))
  return accountDetails(await findAccount(instance, email), [])
}

function addShow(account: Command): void {
  const command = account
    .command('show')
    .description('show an account with its balance and its tokens')
    .addArgument(emailArgument())
    .option('--json', 'as JSON')
    .action(async (email: string, options: JsonOption) =>
      withStore(options, async (instance) => {
        const found = await findAccount(instance, email)
        const report = accountDetails(found, await allTokens(instance, { account: email }))
        if (options.json) return writeJson(report)
        await writeLines(describe(report))
      }),
    )
  withExamples(withConfig(command), 'tollgate account show someone@example.com --json')
}

function describe(report: ReturnType<typeof accountDetails>): readonly string[] {
  const pairs = formatPairs([
    ['Email', report.email],
    ['Role', report.role],
    ['Status', report.status],
    ['Balance', usd(report.balance_nano)],
    ['Reserved', usd(report.reserved_nano)],
    ['Created', humanTime(report.created_at)],
    ['Tokens', report.tokens.length === 0 ? 'none' : String(report.tokens.length)],
  ])
  if (report.tokens.length === 0) return pairs
  return [...pairs, '', ...formatTable(tokenColumns, report.tokens)]
}

const switchable: Switchable<string> = {
  argument: emailArgument,
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
