import { Argument, type Command } from 'commander'
import { type Instance, UserError } from '../app/instance.ts'
import { tokenReport } from '../app/report/resources.ts'
import { createTokenKey } from '../lib/ids.ts'
import { humanTime, listed } from './format.ts'
import { readFragment, writesOf } from './fragment.ts'
import { allTokens, findAccount, findNamed, findToken, requireFree } from './lookup.ts'
import { type ConfigOption, withConfig, withExamples, withStore } from './open.ts'
import { formatPairs, writeJson, writeLines, writeList } from './output.ts'
import { addSwitches, type Switchable } from './switches.ts'
import { parseWhole } from './values.ts'

interface JsonOption extends ConfigOption {
  readonly json?: boolean
}

/** `tollgate token …`: the API keys that clients use. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('API keys: list, add, show, disable, remove')
  addList(token)
  addAdd(token)
  addShow(token)
  addSwitches(token, switchable)
  withExamples(token, 'tollgate token add --account admin@example.com --group main')
}

const idArgument = () =>
  new Argument('<id>', 'its number, as "tollgate token list" shows it').argParser(parseWhole)

function addList(token: Command): void {
  const command = token
    .command('list')
    .description('list tokens, without their keys')
    .option('--account <email>', 'only those of this account')
    .option('--group <name>', 'only those of this group')
    .option('--json', 'as JSON')
    .action(async (options: JsonOption & { readonly account?: string; readonly group?: string }) =>
      withStore(options, async (instance) => {
        const { account, group, json } = options
        if (account !== undefined) await findAccount(instance, account)
        if (group !== undefined)
          findNamed('group', group, (await instance.store.catalog.load()).groups)
        const filter = { ...(account && { account }), ...(group && { group }) }
        const rows = (await allTokens(instance, filter)).map(tokenReport)
        await writeList(rows, tokenColumns, { json, none: 'No tokens.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate token list --account admin@example.com')
}

type Report = ReturnType<typeof tokenReport>

/** How tokens are listed. */
export const tokenColumns = [
  { title: 'ID', text: ({ id }: Report) => String(id), right: true },
  { title: 'ACCOUNT', text: ({ account }: Report) => account },
  { title: 'NAME', text: ({ name }: Report) => name },
  { title: 'KEY', text: ({ key_hint }: Report) => key_hint },
  { title: 'GROUP', text: ({ group }: Report) => group },
  { title: 'STATUS', text: ({ status }: Report) => status },
  { title: 'EXPIRES', text: ({ expires_at }: Report) => expires_at?.slice(0, 10) ?? 'never' },
  { title: 'MODELS', text: ({ models }: Report) => listed(models, 'all') },
]

interface AddOptions extends JsonOption {
  readonly account: string
  readonly group: string
  readonly name?: string
  readonly key?: string
  readonly model: readonly string[]
  readonly ip: readonly string[]
  readonly expires?: string
}

function addAdd(token: Command): void {
  const command = token
    .command('add')
    .description('make a token and show its key, alone on the last line')
    .requiredOption('--account <email>', 'whose balance it uses')
    .requiredOption('--group <name>', 'what it may call, and at which multiplier')
    .option('--name <name>', 'its name within the account (default: the next free token-1, …)')
    .option('--key <sk-…>', 'its key (default: a random one)')
    .option('--model <id...>', 'only these models (default: all of the group)', [])
    .option('--ip <cidr...>', 'only from these addresses (default: any)', [])
    .option('--expires <time>', 'when it expires, ISO 8601 with offset (default: never)')
    .option('--json', 'as JSON')
    .action(async (options: AddOptions) =>
      withStore(options, async (instance) => {
        const { key, report } = await createToken(instance, options)
        if (options.json) return writeJson({ ...report, key })
        const { id, name, account, group } = report
        await writeLines([`Token ${id} "${name}" of ${account} in group ${group}. Its key:`, key])
      }),
    )
  withExamples(
    withConfig(command),
    'tollgate token add --account admin@example.com --group main --name laptop',
    'KEY=$(tollgate token add --account a@example.com --group main | tail -n 1)',
  )
}

async function createToken(instance: Instance, options: AddOptions) {
  const { store, secrets } = instance
  await findAccount(instance, options.account)
  findNamed('group', options.group, (await store.catalog.load()).groups)
  const names = (await allTokens(instance, { account: options.account })).map((t) => t.name)
  if (options.name !== undefined) requireFree('token', options.name, names.includes(options.name))
  const key = options.key ?? createTokenKey()
  const config = readFragment({
    accounts: [
      {
        email: options.account,
        tokens: [
          {
            name: options.name ?? freeName(names),
            key,
            group: options.group,
            models: options.model,
            ip_allow: options.ip,
            expires_at: options.expires ?? null,
          },
        ],
      },
    ],
  })
  const keyHash = secrets.keyedHash(key)
  if ((await store.admin.tokens({ keyHash })).length > 0)
    throw new UserError('There is a token with this key already. Give another --key, or none.')
  const { tokens = [] } = await writesOf(config, instance)
  await store.admin.write({ tokens })
  const [made] = await store.admin.tokens({ keyHash })
  if (!made) throw new UserError('The token was removed while it was being made.')
  return { key, report: tokenReport(made) }
}

function freeName(taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = `token-${number}`
    if (!taken.includes(name)) return name
  }
}

function addShow(token: Command): void {
  const command = token
    .command('show')
    .description('show a token')
    .addArgument(idArgument())
    .option('--reveal', 'with its key')
    .option('--json', 'as JSON')
    .action(async (id: number, options: JsonOption & { readonly reveal?: boolean }) =>
      withStore(options, async (instance) => {
        const found = await findToken(instance, id)
        const key = options.reveal ? instance.secrets.open(found.keySealed) : undefined
        const report = { ...tokenReport(found), ...(key !== undefined && { key }) }
        if (options.json) return writeJson(report)
        await writeLines(describe(report))
      }),
    )
  withExamples(withConfig(command), 'tollgate token show 3', 'tollgate token show 3 --reveal')
}

function describe(report: Report & { readonly key?: string }): readonly string[] {
  const { expires_at } = report
  return formatPairs([
    ['Id', String(report.id)],
    ['Account', report.account],
    ['Name', report.name],
    ['Key', report.key ?? `${report.key_hint} (--reveal shows it)`],
    ['Group', report.group],
    ['Status', report.status],
    ['Models', listed(report.models, 'all of its group')],
    ['Addresses', listed(report.ip_allow, 'any')],
    ['Expires', expires_at === null ? 'never' : humanTime(expires_at)],
    ['Created', humanTime(report.created_at)],
  ])
}

const switchable: Switchable<number> = {
  argument: idArgument,
  example: '3',
  async find(instance, id) {
    const found = await findToken(instance, id)
    return {
      label: `token ${found.id} "${found.name}" of ${found.account}`,
      consequence: 'Its key stops working.',
      withStatus: (status) => ({ tokens: [{ ...found, status }] }),
      remove: { tokenIds: [found.id] },
    }
  },
}
