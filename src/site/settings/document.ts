import { formatNano } from '../../billing/money.ts'
import { feedUrl } from '../links.ts'
import type { PublicSettings } from './schema.ts'
import { timeZoneAt } from './time-zone.ts'

/** What the public settings are made from; null: not set. */
export interface SettingsSource {
  readonly version: string
  readonly site: {
    readonly name: string
    readonly subtitle: string | null
    readonly logoUrl: string | null
    readonly baseUrl: string | null
    readonly overseasBaseUrl: string | null
    readonly statusUrl: string | null
    readonly priceBackupUrl: string | null
    readonly docUrl: string | null
    readonly contact: string | null
    readonly customEndpoints: readonly PublicSettings['custom_endpoints'][number][]
  }
  readonly registrationEnabled: boolean
  readonly modelPlazaEnabled: boolean
  readonly modelPlazaRequireAuth: boolean
  readonly balanceLowThresholdNano: number
}

/** The public settings as JSON text; the time zone is the process's, its offset that of `nowMs`. */
export function encodeSettings(source: SettingsSource, nowMs: number): string {
  const { site } = source
  const zone = timeZoneAt(nowMs)
  const data: PublicSettings = {
    site_name: site.name,
    site_logo: site.logoUrl,
    site_subtitle: site.subtitle,
    version: source.version,
    api_base_url: site.baseUrl,
    overseas_base_url: site.overseasBaseUrl,
    status_url: site.statusUrl,
    price_feed_url: feedUrl(site.statusUrl ?? site.baseUrl),
    price_backup_url: site.priceBackupUrl,
    custom_endpoints: [...site.customEndpoints],
    doc_url: site.docUrl,
    contact_info: site.contact,
    registration_enabled: source.registrationEnabled,
    model_plaza_enabled: source.modelPlazaEnabled,
    model_plaza_require_auth: source.modelPlazaRequireAuth,
    // Nothing here sends notices, so that nobody must wait for one.
    balance_low_notify_enabled: false,
    balance_low_notify_threshold: Number(formatNano(source.balanceLowThresholdNano)),
    server_timezone: zone.name,
    server_utc_offset: zone.utcOffset,
  }
  return JSON.stringify({ code: 0, message: 'success', data })
}
