import type { PriceWrite } from '../../store/ports/admin.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import type { AccountConfig, ChannelConfig, Config, TokenConfig } from './config.ts'
import { type ConfigProblem, type Loaded, loadConfig } from './load.ts'

/** A piece of tollgate.yaml as values: what a command's options or a form say. */
export type Fragment = { readonly [section: string]: object }

/** Checks values by the rules of the file, without variable references; fills in defaults. */
export function loadFragment(fragment: Fragment, countryHeader?: string | null): Loaded {
  const around = countryHeader ? { settings: { country_header: countryHeader } } : {}
  // JSON is YAML.
  const text = JSON.stringify({ ...around, ...fragment }).replaceAll('${', () => '$${')
  return loadConfig({ text, file: 'tollgate.yaml', env: {} })
}

/** A resource that was checked as an entry of tollgate.yaml; `at`: where its paths begin. */
export type LoadedEntry<Value> = { readonly at: string } & (
  | { readonly ok: true; readonly value: Value; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }
)

const anyEmail = 'a@example.com'

function load<Value>(
  at: string,
  loaded: Loaded,
  pick: (config: Config) => Value | undefined,
): LoadedEntry<Value> {
  if (!loaded.ok) return { at, ...loaded }
  const value = pick(loaded.config)
  if (value === undefined) throw new Error('What was checked is not there.')
  return { at, ok: true, value, warnings: loaded.warnings }
}

/** Checks one resource by the rules of tollgate.yaml, for the console and for commands. */
export const loadEntry = {
  channel: (entry: object): LoadedEntry<ChannelConfig> =>
    load('channels[0].', loadFragment({ channels: [entry] }), ({ channels }) => channels[0]),
  group: (entry: object, countryHeader: string | null): LoadedEntry<GroupSettings> => {
    const fragment = { groups: [{ name: 'any', channels: [], ...entry }] }
    return load('groups[0].', loadFragment(fragment, countryHeader), ({ groups }) => groups[0])
  },
  account: (entry: object, countryHeader: string | null): LoadedEntry<AccountConfig> => {
    const fragment = { accounts: [{ email: anyEmail, ...entry }] }
    return load(
      'accounts[0].',
      loadFragment(fragment, countryHeader),
      ({ accounts }) => accounts[0],
    )
  },
  price: (entry: object): LoadedEntry<PriceWrite> =>
    load('prices.price.', loadFragment({ prices: { price: entry } }), ({ prices }) => prices[0]),
  token: (entry: object): LoadedEntry<TokenConfig> => {
    const token = { name: 'any', group: 'any', key: 'sk-any', ...entry }
    const fragment = { accounts: [{ email: anyEmail, tokens: [token] }] }
    const at = 'accounts[0].tokens[0].'
    return load(at, loadFragment(fragment), ({ accounts }) => accounts[0]?.tokens[0])
  },
}
