import type { CheckedChannel } from '../../admin/channels/entry.ts'
import type { Provider } from '../../admin/sign-in/providers.ts'
import type { accountFields } from '../../resources/account.ts'
import type { FileValues } from '../../resources/resource.ts'
import type { TokenSettings } from '../../resources/token.ts'
import type { Listen } from '../../resources/values.ts'
import type { PriceWrite } from '../../store/ports/admin.ts'
import type { GroupSettings } from '../../store/ports/catalog.ts'
import type { SettingValues, serverFields, settingFields, siteFields } from './setting-fields.ts'

type ServerConfig = Omit<SettingValues<typeof serverFields>, 'listen' | 'spool'> & Listen

export type StoreConfig = (SqliteConfig | PostgresConfig) & {
  /** Absolute path of the folder where settlements wait that it does not take; null: they can't. */
  readonly spool?: string | null
}

interface SqliteConfig {
  /** Absolute path, or `:memory:`. */
  readonly path: string
  /** `normal` survives a killed process, `full` a power cut too. */
  readonly synchronous: 'normal' | 'full'
}

/** A database that several nodes share. */
export interface PostgresConfig {
  /** With user and password. */
  readonly url: string
}

type CountersConfig = { readonly url: string } | null

type SiteConfig = SettingValues<typeof siteFields>

type SettingsConfig = SettingValues<typeof settingFields>

/** How people sign in to the console, beside their password. */
export interface SignInConfig {
  /** With their secrets in the clear. */
  readonly providers: readonly Provider[]
}

/** A channel with its credentials in the clear. */
export type ChannelConfig = CheckedChannel

/** An API key of an account. */
export interface TokenConfig extends TokenSettings {
  readonly key: string
}

export interface AccountConfig extends FileValues<typeof accountFields> {
  readonly email: string
  /** In the clear; null: keep the one it has. */
  readonly password: string | null
  readonly openingNano: number
  readonly tokens: readonly TokenConfig[]
}

/** A whole tollgate.yaml, checked, with defaults filled in and units made explicit. */
export interface Config {
  /** What of `site:` and `settings:` the file names (`site.name`), with its line. */
  readonly fixed: ReadonlyMap<string, number>
  readonly server: ServerConfig
  readonly store: StoreConfig
  readonly counters: CountersConfig
  /** Address of a latest.json; null: nothing is looked for. */
  readonly updates: string | null
  readonly site: SiteConfig
  readonly settings: SettingsConfig
  readonly signIn: SignInConfig
  readonly channels: readonly ChannelConfig[]
  readonly groups: readonly GroupSettings[]
  readonly prices: readonly PriceWrite[]
  readonly accounts: readonly AccountConfig[]
}
