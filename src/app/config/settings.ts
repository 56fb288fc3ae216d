import type { TSchema } from '@sinclair/typebox'
import { formatNano } from '../../billing/money.ts'
import { formatDurationMs, formatSizeBytes } from '../../lib/format.ts'
import type { Config, SettingsConfig, SiteConfig } from './config.ts'
import { loadFragment } from './fragment.ts'
import type { ConfigProblem } from './problem.ts'
import { SettingsSection, SiteSection } from './schema.ts'

/** What of `settings:` can be set by hand, by the names of the file: all of it. */
const settingKeys = {
  registration_enabled: 'registrationEnabled',
  balance_low_threshold: 'balanceLowThresholdNano',
  usual_output: 'usualOutputTokens',
  max_attempts: 'maxAttempts',
  retry_time: 'retryTimeMs',
  queue_time: 'queueTimeMs',
  channel_cooling: 'channelCooling',
  feed_currency: 'feedCurrency',
  feed_interval: 'feedIntervalMs',
  models_list: 'modelsList',
  unknown_answers: 'unknownAnswers',
  country_header: 'countryHeader',
  keep_responses: 'keepResponsesMs',
  keep_responses_size: 'keepResponsesBytes',
  responses_websocket: 'responsesWebsocket',
  gemini_query_key: 'geminiQueryKey',
  model_plaza_enabled: 'modelPlazaEnabled',
  model_plaza_require_auth: 'modelPlazaRequireAuth',
  plaza_groups: 'plazaGroups',
  feed_groups: 'feedGroups',
} as const satisfies Record<keyof typeof SettingsSection.properties, keyof SettingsConfig>

/** What of `site:` can be: texts. Addresses decide what is served where, and are the file's. */
const siteKeys = {
  name: 'name',
  subtitle: 'subtitle',
  contact: 'contact',
  doc_url: 'docUrl',
  logo_url: 'logoUrl',
  plaza_description: 'plazaDescription',
} as const satisfies Partial<Record<keyof typeof SiteSection.properties, keyof SiteConfig>>

/** A setting that can be set by hand. */
export interface SettableName {
  /** As the file has it: `settings.max_attempts`. */
  readonly name: string
  readonly section: 'settings' | 'site'
  /** Within its section. */
  readonly key: string
  readonly schema: TSchema
}

/** All that can be set by hand, in the order of the file. */
export const settable: readonly SettableName[] = [
  ...Object.keys(siteKeys).map((key) => ({ section: 'site' as const, key })),
  ...Object.keys(settingKeys).map((key) => ({ section: 'settings' as const, key })),
].map(({ section, key }) => {
  const { properties } = section === 'site' ? SiteSection : SettingsSection
  const schema = (properties as Readonly<Record<string, TSchema>>)[key]
  if (schema === undefined) throw new Error(`The schema lacks ${section}.${key}.`)
  return { name: `${section}.${key}`, section, key, schema }
})

const byName = new Map(settable.map((one) => [one.name, one]))

/** Complains of a value by the rules of the file; undefined when it is right. */
export function complainOfSetting(name: string, value: unknown): ConfigProblem | undefined {
  const loaded = readSetting(name, value)
  return loaded?.ok === false ? loaded.problems[0] : undefined
}

function readSetting(name: string, value: unknown) {
  const found = byName.get(name)
  return found && loadFragment({ [found.section]: { [found.key]: value } })
}

/** The balance below which accounts count as low, where it was set by hand and still fits. */
export function balanceLowByHand(stored: ReadonlyMap<string, unknown>): number | undefined {
  const name = 'settings.balance_low_threshold'
  if (!stored.has(name)) return undefined
  const loaded = readSetting(name, stored.get(name))
  return loaded?.ok ? loaded.config.settings.balanceLowThresholdNano : undefined
}

/** The country header that was set in the console or by command; null: none. */
export function countryHeaderByHand(stored: ReadonlyMap<string, unknown>): string | null {
  const name = 'settings.country_header'
  const loaded = stored.has(name) ? readSetting(name, stored.get(name)) : undefined
  return loaded?.ok ? loaded.config.settings.countryHeader : null
}

/**
 * A configuration with what was set by hand in the places that the file leaves open. Values that no
 * longer fit, of a former version, are left out.
 */
export function withSettings(config: Config, stored: ReadonlyMap<string, unknown>): Config {
  let { site, settings } = config
  for (const [name, value] of stored) {
    if (config.fixed.has(name)) continue
    const loaded = readSetting(name, value)
    if (!loaded?.ok) continue
    const [section = '', key = ''] = name.split('.')
    if (section === 'site' && isKey(siteKeys, key)) {
      site = { ...site, [siteKeys[key]]: loaded.config.site[siteKeys[key]] }
    } else if (section === 'settings' && isKey(settingKeys, key)) {
      settings = { ...settings, [settingKeys[key]]: loaded.config.settings[settingKeys[key]] }
    }
  }
  return { ...config, site, settings }
}

const isKey = <Table extends object>(table: Table, key: string): key is string & keyof Table =>
  Object.hasOwn(table, key)

/** The `settings:` in force, as the file would have them. */
export const settingsValues = (settings: SettingsConfig) => ({
  registration_enabled: settings.registrationEnabled,
  balance_low_threshold: formatNano(settings.balanceLowThresholdNano),
  usual_output: settings.usualOutputTokens,
  max_attempts: settings.maxAttempts,
  retry_time: formatDurationMs(settings.retryTimeMs),
  queue_time: waitText(settings.queueTimeMs),
  channel_cooling: settings.channelCooling,
  feed_currency: settings.feedCurrency,
  feed_interval: formatDurationMs(settings.feedIntervalMs),
  models_list: settings.modelsList,
  unknown_answers: settings.unknownAnswers,
  country_header: settings.countryHeader,
  keep_responses: waitText(settings.keepResponsesMs),
  keep_responses_size: formatSizeBytes(settings.keepResponsesBytes),
  responses_websocket: settings.responsesWebsocket,
  gemini_query_key: settings.geminiQueryKey,
  model_plaza_enabled: settings.modelPlazaEnabled,
  model_plaza_require_auth: settings.modelPlazaRequireAuth,
  plaza_groups: settings.plazaGroups,
  feed_groups: settings.feedGroups,
})

const waitText = (ms: number) => (ms === 0 ? '0s' : formatDurationMs(ms))

/** The single values of `site:` in force; null: not set. */
export const siteValues = (site: SiteConfig) => ({
  name: site.name,
  domain: site.domain,
  base_url: site.baseUrl,
  overseas_base_url: site.overseasBaseUrl,
  status_url: site.statusUrl,
  price_backup_url: site.priceBackupUrl,
  logo_url: site.logoUrl,
  subtitle: site.subtitle,
  doc_url: site.docUrl,
  contact: site.contact,
  plaza_description: site.plazaDescription,
})
