import type { SecretBox } from '../../../lib/secrets.ts'
import type {
  CatalogRows,
  ChannelRow,
  ChannelSettings,
  GroupSettings,
  PriceRow,
} from '../../../store/ports/catalog.ts'
import type { Config } from '../../config/config.ts'
import { settingFields, siteFields, writtenSettings } from '../../config/setting-fields.ts'

/** A channel without its secrets. */
export interface ChannelState extends ChannelSettings {
  readonly keyCount: number
  readonly hasProxy: boolean
}

/** The gateway's state for a tollgate.yaml, as plain data. */
export interface ConfigState {
  readonly site: object
  readonly settings: object
  readonly channels: readonly ChannelState[]
  readonly groups: readonly GroupSettings[]
  /** Without the list prices that come with the program. */
  readonly prices: readonly PriceRow[]
}

/** Reads the state that a tollgate.yaml describes from the gateway, without secrets. */
export const configState = (
  config: Config,
  rows: CatalogRows,
  secrets: SecretBox,
): ConfigState => ({
  site: writtenSettings(siteFields, config.site),
  settings: writtenSettings(settingFields, config.settings),
  channels: rows.channels.map((row) => withoutSecrets(row, secrets)),
  groups: rows.groups,
  prices: rows.prices.filter(({ source }) => source !== 'vendor'),
})

function withoutSecrets(
  { keysSealed, proxySealed, ...row }: ChannelRow,
  secrets: SecretBox,
): ChannelState {
  const keys: unknown = JSON.parse(secrets.open(keysSealed))
  const keyCount = Array.isArray(keys) ? keys.length : 0
  return { ...row, keyCount, hasProxy: proxySealed !== null }
}
