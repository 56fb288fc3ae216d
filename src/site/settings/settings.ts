import { readlinkSync } from 'node:fs'
import { Elysia } from 'elysia'
import { formatNano } from '../../billing/money.ts'
import { feedUrl } from '../addresses.ts'
import { failure, type Publication, respondWith } from '../published.ts'
import type { PublicSettings } from './schema.ts'

type Url = 'logoUrl' | 'baseUrl' | 'overseasBaseUrl' | 'statusUrl' | 'priceBackupUrl' | 'docUrl'

interface PublicSite
  extends Readonly<Record<Url | 'accent' | 'subtitle' | 'contact', string | null>> {
  readonly name: string
  readonly customEndpoints: readonly PublicSettings['custom_endpoints'][number][]
}

export interface SettingsSource {
  readonly version: string
  readonly site: PublicSite
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
    site_accent: site.accent,
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
    // The gateway sends no notices.
    balance_low_notify_enabled: false,
    balance_low_notify_threshold: Number(formatNano(source.balanceLowThresholdNano)),
    server_timezone: zone.name,
    server_utc_offset: zone.utcOffset,
  }
  return JSON.stringify({ code: 0, message: 'success', data })
}

/** The public settings, open to all. */
export const settingsRoutes = (settings: Pick<Publication, 'current' | 'ready'>) =>
  new Elysia({ name: 'site.settings' }).get(
    '/api/v1/settings/public',
    ({ request }) =>
      respondWith(request, settings, () =>
        failure(503, 'The settings are not available at present. Try again in a minute.'),
      ),
    { parse: 'none' },
  )

interface TimeZone {
  readonly name: string
  /** `+08:00`; other seasons may have another offset. */
  readonly utcOffset: string
}

/** On a machine in UTC this needs none of the runtime's time zone data (10 ms, 6 MB). */
export function timeZoneAt(
  timeMs: number,
  zone = process.env.TZ,
  localTime = '/etc/localtime',
): TimeZone {
  if (namesUtc(zone || linkOf(localTime))) return { name: 'UTC', utcOffset: '+00:00' }
  return { name: Intl.DateTimeFormat().resolvedOptions().timeZone, utcOffset: utcOffset(timeMs) }
}

const namesUtc = (zone: string) => /^(.*\/zoneinfo\/)?(Etc\/)?UTC$/.test(zone)

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // no link, or a system without it: the runtime knows
  }
}

function utcOffset(timeMs: number): string {
  const minutes = -new Date(timeMs).getTimezoneOffset()
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}
