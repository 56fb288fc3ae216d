import { dirname, resolve } from 'node:path'
import { knownProviders } from '../../admin/sign-in/providers.ts'
import { nanoDecimals, parseDecimal } from '../../billing/money.ts'
import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { termsFromFile } from '../../resources/price.ts'
import { fromFile } from '../../resources/resource.ts'
import { tokenFields } from '../../resources/token.ts'
import { isPostgresUrl, parseStorePath, sure } from '../../resources/values.ts'
import type { ChannelStatus, GroupSettings, PriceSetting } from '../../store/ports/catalog.ts'
import { fileOf, isOnServer, usualSpool } from '../store-place.ts'
import type { Partly } from './checks.ts'
import type { AccountConfig, ChannelConfig, Config, SignInConfig, StoreConfig } from './config.ts'
import type { ConfigFile } from './schema.ts'
import { readSettings, serverFields, settingFields, siteFields } from './setting-fields.ts'

type Entry<Key extends 'channels' | 'groups' | 'accounts'> = NonNullable<ConfigFile[Key]>[number]
type Decimal = string | number

/** Builds the configuration of a checked file. `path`: of the file, the database's is relative. */
export function buildConfig(
  file: ConfigFile,
  path: string,
  lineOf: (path: string) => number = () => 1,
): Config {
  const { listen, spool: _, ...server } = readSettings(serverFields, file.server ?? {})
  return {
    fixed: namedSettings(file, lineOf),
    server: { ...listen, ...server },
    store: buildStore(file, path),
    counters: file.counters === undefined ? null : { url: file.counters },
    updates: file.updates ?? null,
    site: buildSite(file, path),
    settings: readSettings(settingFields, file.settings ?? {}),
    signIn: buildSignIn(file.sign_in ?? {}),
    channels: (file.channels ?? []).map(buildChannel),
    groups: (file.groups ?? []).map(buildGroup),
    prices: buildPrices(file.prices),
    accounts: (file.accounts ?? []).map(buildAccount),
  }
}

function buildSite({ site = {} }: ConfigFile, path: string): Config['site'] {
  const made = readSettings(siteFields, site)
  const { frontPage } = made
  return { ...made, frontPage: frontPage && resolve(dirname(path), frontPage) }
}

/** What the file says of the site and the settings can't be set elsewhere. */
function namedSettings({ site = {}, settings = {} }: ConfigFile, lineOf: (path: string) => number) {
  const names = [
    ...Object.keys(site).map((key) => `site.${key}`),
    ...Object.keys(settings).map((key) => `settings.${key}`),
  ]
  return new Map(names.map((name) => [name, lineOf(name)]))
}

const nano = (usd: Decimal) => sure(parseDecimal(usd, nanoDecimals))
const status = (enabled: boolean | undefined) => (enabled === false ? 'disabled' : 'active')

/** The database of a checked file, and the spool before it; `path` is where the configuration lies. */
export function buildStore({ store, server }: Pick<ConfigFile, 'store' | 'server'>, path: string) {
  const database = buildDatabase(store, path)
  const place = fileOf(database)
  const usual = isOnServer(database) ? 'tollgate.spool' : place && usualSpool(place)
  const named = server?.spool ?? usual
  const spool = named === undefined || named === 'off' ? null : resolve(dirname(path), named)
  return { ...database, spool }
}

function buildDatabase(store: ConfigFile['store'], file: string): StoreConfig {
  const given = store ?? 'sqlite:./tollgate.db'
  const { url, synchronous = 'normal' } = typeof given === 'string' ? { url: given } : given
  if (isPostgresUrl(url)) return { url }
  const path = sure(parseStorePath(url))
  return { path: path === ':memory:' ? path : resolve(dirname(file), path), synchronous }
}

function buildSignIn(section: NonNullable<ConfigFile['sign_in']>): SignInConfig {
  const { google, github, oidc = [], oauth = [] } = section
  const entries = [
    ...(google ? [{ id: 'google', ...knownProviders.google, ...google }] : []),
    ...(github ? [{ id: 'github', ...knownProviders.github, ...github }] : []),
    ...oidc.map((one) => ({ scopes: knownProviders.google.scopes, ...one, at: one.discovery_url })),
    ...oauth.map((one) => ({
      ...{ scopes: [], ...one },
      at: {
        authorizationUrl: one.authorization_url,
        tokenUrl: one.token_url,
        profileUrl: one.profile_url,
        emailsUrl: one.emails_url ?? null,
      },
    })),
  ]
  return {
    providers: entries.map(({ id, name, scopes, at, client_id, client_secret }) => ({
      ...{ id, name, scopes, at, clientId: client_id, clientSecret: client_secret },
    })),
  }
}

const buildChannel = (channel: Entry<'channels'>): ChannelConfig => ({
  name: channel.name,
  status: channelStatus(channel),
  ...fromFile(channelFields, channel),
  apiKeys: channel.api_keys ?? [sure(channel.api_key)],
  proxy: channel.proxy ?? null,
})

/** What a file says of a channel. Being off goes before draining. */
export function channelStatus({
  enabled,
  drain,
}: Partly<Pick<Entry<'channels'>, 'enabled' | 'drain'>>): ChannelStatus {
  return drain && enabled !== false ? 'draining' : status(enabled)
}

const buildGroup = (group: Entry<'groups'>): GroupSettings => ({
  name: group.name,
  ...fromFile(groupFields, group),
})

/** The prices of a checked file. */
export const buildPrices = (prices: ConfigFile['prices'] = {}): PriceSetting[] =>
  Object.entries(prices).map(([model, price]) => ({
    ...{ model, terms: termsFromFile(price), source: 'config', note: price.note ?? '' },
  }))

function buildAccount(account: Entry<'accounts'>): AccountConfig {
  return {
    ...fromFile(accountFields, account),
    email: account.email,
    password: account.password ?? null,
    openingNano: nano(account.balance ?? 0),
    tokens: (account.tokens ?? []).map((token) => ({
      ...fromFile(tokenFields, token),
      key: token.key,
    })),
  }
}
