import { describe, expect, test } from 'bun:test'
import { createHostRules } from '../../src/site/addresses.ts'

const unset = { baseUrl: null, overseasBaseUrl: null, statusUrl: null, priceBackupUrl: null }
const addresses = {
  baseUrl: 'https://gateway.example.com',
  overseasBaseUrl: 'https://overseas.example.com',
  statusUrl: 'https://Status.example.com',
  priceBackupUrl: 'https://backup.example.com:8443/api/provider/pricing',
}

const hides = (rule: ReturnType<typeof createHostRules>, host: string, path: string) =>
  rule.isHidden({ headers: new Headers({ host }), url: `http://${host}${path}` })

test.each([
  ['gateway.example.com', '/v1/models', false],
  ['overseas.example.com', '/v1/models', false],
  ['localhost:8787', '/v1/models', false],
  ['status.example.com', '/feed', false],
  ['status.example.com', '/feed?x=1', false],
  ['status.example.com', '/v1/models', true],
  ['STATUS.example.com.:443', '/v1/models', true],
  ['backup.example.com:8443', '/', true],
  ['backup.example.com', '/feed/', true],
  ['other.status.example.com', '/v1/models', false],
])('host %p, path %p: hidden %p', (host, path, hidden) => {
  expect(hides(createHostRules(addresses, ['/feed']), host, path)).toBe(hidden)
})

test('a host that the API has too serves everything', () => {
  const one = 'https://gateway.example.com'
  const rule = createHostRules(
    { ...addresses, statusUrl: `${one}/status`, priceBackupUrl: one },
    [],
  )
  expect(hides(rule, 'gateway.example.com', '/v1/models')).toBe(false)
  const overseas = createHostRules({ ...addresses, statusUrl: 'https://overseas.example.com' }, [])
  expect(hides(overseas, 'overseas.example.com', '/v1/models')).toBe(false)
})

test('nothing is hidden as long as the base address is not known', () => {
  const rule = createHostRules({ ...unset, statusUrl: addresses.statusUrl }, [])
  expect(hides(rule, 'status.example.com', '/v1/models')).toBe(false)
})

test('a request without a host is not hidden', () => {
  const rule = createHostRules(addresses, [])
  expect(rule.isHidden({ headers: new Headers(), url: 'http://x/v1/models' })).toBe(false)
})

describe('the front page of the status page’s host', () => {
  const isFront = (site: Parameters<typeof createHostRules>[0], host: string, asked = 'GET /') => {
    const [method = '', path = ''] = asked.split(' ')
    const headers = new Headers({ host })
    return createHostRules(site, []).isFront({ headers, method, url: `http://${host}${path}` })
  }

  test('is the only thing there, where the host is not that of the API', () => {
    expect(createHostRules(addresses, []).isApart).toBe(true)
    const shared = { ...addresses, statusUrl: 'https://gateway.example.com/status' }
    expect(createHostRules(shared, []).isApart).toBe(false)
    expect(createHostRules(unset, []).isApart).toBe(false)
  })

  test.each([
    ['status.example.com', 'GET /', true],
    ['STATUS.example.com.:443', 'HEAD /?lang=zh', true],
    ['status.example.com', 'POST /', false],
    ['status.example.com', 'GET /status', false],
    ['status.example.com', 'GET //', false],
    ['gateway.example.com', 'GET /', false],
    ['overseas.example.com', 'GET /', false],
    ['backup.example.com:8443', 'GET /', false],
    ['localhost:8787', 'GET /', false],
  ])('host %p, %p: %p', (host, asked, front) => {
    expect(isFront(addresses, host, asked)).toBe(front)
  })

  test('is none where that host is one of the API, and none without an address', () => {
    const one = { ...addresses, statusUrl: 'https://gateway.example.com/status' }
    expect(isFront(one, 'gateway.example.com')).toBe(false)
    const other = { ...addresses, statusUrl: 'https://overseas.example.com' }
    expect(isFront(other, 'overseas.example.com')).toBe(false)
    expect(isFront(unset, 'status.example.com')).toBe(false)
    expect(isFront({ ...unset, statusUrl: addresses.statusUrl }, 'status.example.com')).toBe(true)
  })
})
