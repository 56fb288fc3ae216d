import { afterAll, expect, test } from 'bun:test'
import type { PublicSettings } from '../../../src/site/settings/schema.ts'
import { encodeSettings, type SettingsSource } from '../../../src/site/settings/settings.ts'

const nothing: SettingsSource = {
  version: '1.2.3',
  site: {
    name: 'Tollgate',
    subtitle: null,
    logoUrl: null,
    accent: null,
    baseUrl: null,
    overseasBaseUrl: null,
    statusUrl: null,
    priceBackupUrl: null,
    docUrl: null,
    contact: null,
    customEndpoints: [],
  },
  registrationEnabled: false,
  modelPlazaEnabled: true,
  modelPlazaRequireAuth: false,
  balanceLowThresholdNano: 5_000_000_000,
}
const noon = Date.UTC(2026, 10, 21, 12)

function settingsOf(site: Partial<SettingsSource['site']> = {}, at = noon): PublicSettings {
  const text = encodeSettings({ ...nothing, site: { ...nothing.site, ...site } }, at)
  return JSON.parse(text).data
}

const zone = process.env.TZ
afterAll(() => {
  process.env.TZ = zone ?? 'UTC'
})

test('what is not known is null, and nothing is left out', () => {
  process.env.TZ = 'UTC'
  expect(JSON.parse(encodeSettings(nothing, noon))).toEqual({
    code: 0,
    message: 'success',
    data: {
      site_name: 'Tollgate',
      site_logo: null,
      site_accent: null,
      site_subtitle: null,
      version: '1.2.3',
      api_base_url: null,
      overseas_base_url: null,
      status_url: null,
      price_feed_url: null,
      price_backup_url: null,
      custom_endpoints: [],
      doc_url: null,
      contact_info: null,
      registration_enabled: false,
      model_plaza_enabled: true,
      model_plaza_require_auth: false,
      balance_low_notify_enabled: false,
      balance_low_notify_threshold: 5,
      server_timezone: 'UTC',
      server_utc_offset: '+00:00',
    },
  })
})

test('what is known is said', () => {
  const customEndpoints = [{ name: '亚洲', endpoint: 'https://asia.example.com', description: '' }]
  const said = settingsOf({
    name: 'Mein Tor',
    subtitle: 'Modelle',
    logoUrl: 'https://gw.example.com/logo.svg',
    accent: '#7a1fa2',
    baseUrl: 'https://gw.example.com',
    overseasBaseUrl: 'https://overseas.example.com',
    priceBackupUrl: 'https://backup.example.com/api/provider/pricing',
    docUrl: 'https://docs.example.com',
    contact: 'help@example.com',
    customEndpoints,
  })
  expect(said).toMatchObject({
    site_name: 'Mein Tor',
    site_subtitle: 'Modelle',
    site_logo: 'https://gw.example.com/logo.svg',
    site_accent: '#7a1fa2',
    api_base_url: 'https://gw.example.com',
    overseas_base_url: 'https://overseas.example.com',
    price_backup_url: 'https://backup.example.com/api/provider/pricing',
    doc_url: 'https://docs.example.com',
    contact_info: 'help@example.com',
    custom_endpoints: customEndpoints,
  })
})

test('the feed is on the host of the status page, else on that of the API', () => {
  const baseUrl = 'https://gw.example.com/'
  const path = '/pricing/provider-pricing.json'
  expect(settingsOf({ baseUrl }).price_feed_url).toBe(`https://gw.example.com${path}`)
  const statusUrl = 'https://status.example.com'
  expect(settingsOf({ baseUrl, statusUrl }).price_feed_url).toBe(
    `https://status.example.com${path}`,
  )
})

test.each([
  ['Asia/Shanghai', noon, '+08:00'],
  ['Asia/Kolkata', noon, '+05:30'],
  ['America/St_Johns', noon, '-03:30'],
  ['Europe/Berlin', noon, '+01:00'],
  ['Europe/Berlin', Date.UTC(2026, 6, 1), '+02:00'],
])('time zone %s at %d has the offset %s', (name, at, offset) => {
  process.env.TZ = name
  const { server_timezone, server_utc_offset } = settingsOf({}, at)
  expect([server_timezone, server_utc_offset]).toEqual([name, offset])
})

test.each([true, false])('switches are told as they are set: all %p', (on) => {
  const switches = { registrationEnabled: on, modelPlazaEnabled: on, modelPlazaRequireAuth: on }
  const text = encodeSettings({ ...nothing, ...switches, balanceLowThresholdNano: 1 }, noon)
  expect(JSON.parse(text).data).toMatchObject({
    registration_enabled: on,
    model_plaza_enabled: on,
    model_plaza_require_auth: on,
    balance_low_notify_threshold: 0.000000001,
  })
})
