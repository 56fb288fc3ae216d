import type { Config } from '../app/config/config.ts'
import { planChanges } from '../app/config/diff.ts'
import { type Fragment, type LoadedEntry, loadFragment } from '../app/config/fragment.ts'
import type { ConfigProblem } from '../app/config/problem.ts'
import type { Instance } from '../app/instance.ts'
import { accountFields } from '../resources/account.ts'
import { channelFields } from '../resources/channel.ts'
import type { Definition } from '../resources/field.ts'
import { groupFields } from '../resources/group.ts'
import { priceFields } from '../resources/price.ts'
import { onlyNamed, type SomeValues, toWritten } from '../resources/resource.ts'
import { tokenFields } from '../resources/token.ts'
import type { Writes } from '../store/ports/admin.ts'
import { UsageError } from './errors.ts'
import { spelledFields } from './field-options.ts'

/** Option or argument by the key that it becomes in the file. */
const spelling: { readonly [key: string]: string } = {
  ...spelledFields(channelFields),
  ...spelledFields(groupFields),
  ...spelledFields(accountFields),
  ...spelledFields(tokenFields),
  ...spelledFields(priceFields),
  email: 'EMAIL',
  balance: '--balance',
  role: '--role',
  name: 'NAME',
  speaks: '--speaks',
  api_key: 'the key',
  key: '--key',
  group: '--group',
  proxy: '--proxy-env',
}

/** Checks options by the rules of the file. Throws a `UsageError` that names the wrong options. */
export function readFragment(fragment: Fragment, countryHeader?: string | null): Config {
  const loaded = loadFragment(fragment, countryHeader)
  if (loaded.ok) return loaded.config
  throw refusal(loaded.problems)
}

/** Checks named values with `load`. Throws a `UsageError` that names the wrong options. */
export function readNamed<const D>(
  definition: D,
  named: object,
  load: (entry: object) => LoadedEntry<object>,
): SomeValues<D> {
  return onlyNamed(definition, readEntry(load(toWritten(definition as Definition, named))), named)
}

/** The checked entry. Throws a `UsageError` that names the wrong options. */
export function readEntry<Value>(loaded: LoadedEntry<Value>): Value {
  if (loaded.ok) return loaded.value
  throw refusal(loaded.problems)
}

const refusal = (problems: readonly ConfigProblem[]) =>
  new UsageError(problems.map(({ message }) => asOption(message)).join('\n'))

/** `accounts[0].tokens[0].ip_allow[1]: "x" …` → `--ip: "x" …`; `prices.m.input …` → `--input …`. */
function asOption(message: string): string {
  return message
    .replace(/^groups\[0\]\.tools(\[\d+\])?/, '--tools')
    .replace(/^groups\[0\]\.regions\.(allow|deny)(\[\d+\])?/, '--$1-countries')
    .replace(
      /^groups\[0\]\.regions can not be judged(.*), or remove regions$/,
      'Countries can not be judged$1',
    )
    .replace(priceOf, (_, dot: string) => (dot === '' ? 'The price' : 'prices[0].'))
    .replace(
      /^(?:prices\[0\]\.|(?:\w+\[0\]\.)+)(\w+)([^\s:]*)/,
      (_, key: string, rest: string) =>
        spelling[key + rest] ??
        (spelling[key] ?? key) + rest.replace(/\[\d+\]/g, '').replace('.', ' '),
    )
    .replace('write { free: true }', 'say --free')
}

const priceOf = /^prices(?:\.[\w-]+|\["(?:[^"\\]|\\.)*"\])(\.?)/

/** Writes that create everything in a fragment. */
export async function writesOf(config: Config, { secrets }: Instance): Promise<Writes> {
  const catalog = { channels: [], groups: [], prices: [] }
  const current = { catalog, accounts: [], tokens: [] }
  return (await planChanges({ config, current, secrets, prune: false })).writes
}
