import { type Command, Option } from 'commander'
import { loadEntry } from '../app/config/fragment.ts'
import type { Instance } from '../app/instance.ts'
import { type TokenReport, tokenDetails, tokenReports } from '../app/report/resources.ts'
import { UserError } from '../app/user-error.ts'
import { createTokenKey, freeName } from '../lib/ids.ts'
import { toWritten } from '../resources/resource.ts'
import { tokenFields } from '../resources/token.ts'
import { addFieldOptions, addSetOptions, namedFields, requireSome } from './field-options.ts'
import { warnOfToken } from './file-word.ts'
import { readFragment, readNamed, writesOf } from './fragment.ts'
import {
  allTokens,
  byCommandLine,
  commandLine,
  findAccount,
  findNamed,
  findToken,
  namesOf,
  requireFree,
  tokenArgument,
} from './lookup.ts'
import { type AnyOptions, addReporting, addResource, type Resource } from './resource-commands.ts'
import { describeToken, tokenColumns } from './token-text.ts'

interface AddOptions extends AnyOptions {
  readonly account: string
  readonly group: string
  readonly name?: string
  readonly key?: string
}

const addAdd = (token: Command): void =>
  addReporting(token, 'add', {
    help: 'make a token and show its key, alone on the last line',
    options: [
      new Option('--account <email>', 'whose balance it uses').makeOptionMandatory(),
      new Option(
        '--group <name>',
        'what it may call, and at which multiplier',
      ).makeOptionMandatory(),
      ['--key <sk-…>', 'its key (default: a random one)'],
    ],
    extend: (command) => addFieldOptions(command, tokenFields),
    examples: [
      'tollgate token add --account admin@example.com --group main --name laptop --budget-day 5',
      'KEY=$(tollgate token add --account a@example.com --group main | tail -n 1)',
    ],
    run: createToken,
    lines: ({ id, name, account, group, key }) => [
      `Token ${id} "${name}" of ${account} in group ${group}. Its key:`,
      key,
    ],
  })

async function createToken(instance: Instance, options: AddOptions) {
  const { store, secrets } = instance
  await findAccount(instance, options.account)
  findNamed('group', options.group, (await store.catalog.load()).groups)
  const names = namesOf(await allTokens(instance, { account: options.account }))
  if (options.name !== undefined) requireFree('token', options.name, names)
  const key = options.key ?? createTokenKey()
  const config = readFragment({
    accounts: [
      {
        email: options.account,
        tokens: [
          {
            name: freeName('token', names),
            key,
            group: options.group,
            ...toWritten(tokenFields, namedFields(tokenFields, options)),
          },
        ],
      },
    ],
  })
  const keyHash = secrets.keyedHash(key)
  if ((await store.admin.tokens({ keyHashes: [keyHash] })).length > 0)
    throw new UserError('There is a token with this key already. Give another --key, or none.')
  const { tokens = [] } = await writesOf(config, instance)
  await store.admin.write({ tokens }, byCommandLine)
  const [made] = await store.admin.tokens({ keyHashes: [keyHash] })
  if (!made) throw new UserError('The token was removed while it was being made.')
  return { ...(await tokenDetails(store, made)), key }
}

/** `tollgate token set`: unnamed fields stay. */
const addSet = (token: Command): void =>
  addReporting(token, 'set', {
    help: 'change what is named of a token, and nothing else',
    args: [tokenArgument()],
    extend: (command) => addSetOptions(command, tokenFields),
    examples: [
      'tollgate token set 3 --budget-day 5 --budget-month 100',
      'tollgate token set 3 --budget none --expires 2027-01-31T12:00:00Z',
      'tollgate token set 3 --rpm 60 --tpm none --concurrency 4',
    ],
    async run(instance, options, id: number) {
      const named = namedFields(tokenFields, options)
      requireSome(named, tokenFields)
      const fields = readNamed(tokenFields, named, loadEntry.token)
      await findToken(instance, id)
      await instance.store.admin.changeToken({ id, actor: commandLine, ...fields })
      return tokenDetails(instance.store, await findToken(instance, id))
    },
    lines: describeToken,
    after: async (instance, { id }, options) =>
      warnOfToken(options, instance, await findToken(instance, id)),
  })

const tokens: Resource<number, TokenReport, TokenReport & { readonly key?: string }> = {
  name: 'token',
  help: 'API keys: list, add, show, set, disable, enable, remove',
  examples: ['tollgate token add --account admin@example.com --group main'],
  ...{ add: addAdd, others: addSet },
  argument: tokenArgument,
  list: {
    help: 'list tokens, without their keys, and what was spent of their budgets',
    options: [
      ['--account <email>', 'only those of this account'],
      ['--group <name>', 'only those of this group'],
    ],
    examples: ['tollgate token list --account admin@example.com'],
    ...{ columns: tokenColumns, none: 'No tokens.' },
    async rows(
      instance,
      { account, group }: { readonly account?: string; readonly group?: string },
    ) {
      if (account !== undefined) await findAccount(instance, account)
      if (group !== undefined)
        findNamed('group', group, (await instance.store.catalog.load()).groups)
      const filter = { ...(account && { account }), ...(group && { group }) }
      return tokenReports(instance.store, await allTokens(instance, filter))
    },
  },
  show: {
    help: 'show a token',
    options: [['--reveal', 'with its key']],
    examples: ['tollgate token show 3', 'tollgate token show 3 --reveal'],
    describe: describeToken,
    async read(instance, id, { reveal }) {
      const found = await findToken(instance, id)
      const details = await tokenDetails(instance.store, found)
      return { ...details, ...(reveal === true && { key: instance.secrets.open(found.keySealed) }) }
    },
  },
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

/** `tollgate token …`: the API keys that clients use. */
export const addTokenCommands = (program: Command): void => addResource(program, tokens)
