import { formatNano } from '../../billing/money.ts'
import { formatDurationMs, formatSizeBytes } from '../../lib/format.ts'
import type { SettingsConfig, SiteConfig } from './config.ts'

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
