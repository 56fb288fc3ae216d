import { describe, expect, test } from 'bun:test'
import { feedUrl, statusLink } from '../../src/site/addresses.ts'

const path = '/pricing/provider-pricing.json'

describe('the feed is where the status page is', () => {
  test.each([
    ['https://status.example.com', 'https://status.example.com'],
    ['https://status.example.com/', 'https://status.example.com'],
    ['https://status.example.com:8443//', 'https://status.example.com:8443'],
    ['https://gw.example.com/status', 'https://gw.example.com'],
    ['https://gw.example.com/status/', 'https://gw.example.com'],
    ['https://gw.example.com/status?lang=zh', 'https://gw.example.com'],
    ['https://example.com/gateway', 'https://example.com/gateway'],
    ['https://example.com/gateway/status', 'https://example.com/gateway'],
    ['https://example.com/mystatus', 'https://example.com/mystatus'],
    ['http://status', 'http://status'],
  ])('%s', (base, above) => {
    expect(feedUrl(base)).toBe(above + path)
  })

  test('nowhere, as long as no address is known', () => {
    expect(feedUrl(null)).toBeNull()
  })
})

describe('a link to the status page', () => {
  const site = {
    baseUrl: 'https://gw.example.com',
    overseasBaseUrl: 'https://overseas.example.com',
    priceBackupUrl: null,
  }

  test.each([
    ['https://status.example.com', 'https://status.example.com'],
    ['https://status.example.com/', 'https://status.example.com/'],
    ['https://gw.example.com/status', 'https://gw.example.com/status'],
    ['https://gw.example.com/uptime', 'https://gw.example.com/uptime'],
    // Another program on the same machine.
    ['https://gw.example.com:3001', 'https://gw.example.com:3001'],
    // The front of the gateway itself is the console.
    ['https://gw.example.com', '/status'],
    ['https://GW.example.com:443/', '/status'],
    ['https://overseas.example.com', '/status'],
    [null, '/status'],
  ])('%s: %s', (statusUrl, link) => {
    expect(statusLink({ ...site, statusUrl })).toBe(link)
  })
})
