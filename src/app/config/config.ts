import type { Provider } from '../../admin/sign-in/providers.ts'
import type { accountFields } from '../../resources/account.ts'
import type { FileValues } from '../../resources/resource.ts'
import type { TokenSettings } from '../../resources/token.ts'
import type { PriceWrite } from '../../store/ports/admin.ts'
import type { ChannelSettings, GroupSettings } from '../../store/ports/catalog.ts'
import type { SettingValues, settingFields, siteFields } from './setting-fields.ts'

/** Where and how the process listens. */
interface ServerConfig {
  /** Without brackets, also for IPv6. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Addresses and CIDR blocks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  readonly maxBodyBytes: number
  /** How much memory this process may have; null: what the container, or the machine, gives. */
  readonly memoryBytes: number | null
  /** Connections and requests at once; null: as many as descriptors and memory are there for. */
  readonly maxConnections: number | null
  readonly maxRequests: number | null
  /** Where /metrics is; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null
  /** How long a stop still takes requests, for load balancers to notice it; 0: not at all. */
  readonly shutdownDelayMs: number
  /** How long a stop waits for open streams. */
  readonly shutdownGraceMs: number
}

/** The database. */
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

/** Where all nodes count together; null: each counts in its memory. */
type CountersConfig = { readonly url: string } | null

/** What public pages say about this gateway; null: not set. */
type SiteConfig = SettingValues<typeof siteFields>

/** Switches and figures of the whole gateway. */
type SettingsConfig = SettingValues<typeof settingFields>

/** How people sign in to the console, beside their password. */
export interface SignInConfig {
  /** With their secrets in the clear. */
  readonly providers: readonly Provider[]
}

/** A channel with its credentials in the clear. */
export interface ChannelConfig extends ChannelSettings {
  readonly apiKeys: readonly string[]
  /** Address of its proxy, which may hold a password; null: none. */
  readonly proxy: string | null
}

/** An API key of an account. */
export interface TokenConfig extends TokenSettings {
  readonly key: string
}

/** An account with its tokens. */
export interface AccountConfig extends FileValues<typeof accountFields> {
  readonly email: string
  /** In the clear; null: keep the one it has. */
  readonly password: string | null
  /** Opening balance, used once. */
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
  readonly site: SiteConfig
  readonly settings: SettingsConfig
  readonly signIn: SignInConfig
  readonly channels: readonly ChannelConfig[]
  readonly groups: readonly GroupSettings[]
  readonly prices: readonly PriceWrite[]
  readonly accounts: readonly AccountConfig[]
}
