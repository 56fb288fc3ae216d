import { describe, expect, test } from 'bun:test'
import { readEnvironmentProxy } from '../../../src/gateway/outbound/dial.ts'

const leads = (env: Record<string, string>, url: string) =>
  readEnvironmentProxy(env).leads(new URL(url))

describe('a proxy of the environment', () => {
  const named: readonly (readonly [name: string, http: boolean, https: boolean])[] = [
    ['http_proxy', true, false],
    ['HTTP_PROXY', true, false],
    ['https_proxy', false, true],
    ['HTTPS_PROXY', false, true],
    ['all_proxy', true, true],
    ['ALL_PROXY', true, true],
    ['no_proxy', false, false],
  ]
  test.each(named)('%s: leads http %p, https %p', (name, http, https) => {
    const env = { [name]: 'http://proxy.test:3128' }
    expect([leads(env, 'http://a.test/'), leads(env, 'https://a.test/')]).toEqual([http, https])
    expect(readEnvironmentProxy(env).mayLead(new URL('http://a.test/'))).toBe(http || https)
  })

  test('an empty one is none', () => {
    expect(leads({ http_proxy: '', HTTP_PROXY: '' }, 'http://a.test/')).toBe(false)
  })

  const lists: readonly (readonly [noProxy: string, url: string, isLed: boolean])[] = [
    ['', 'http://x.test/', true],
    ['*', 'http://x.test/', false],
    ['x.test', 'http://x.test/', false],
    ['X.TEST', 'http://x.test/', false],
    ['x.test', 'http://x.test./', false],
    ['.test', 'http://x.test/', false],
    ['*.test', 'http://x.test/', false],
    ['test', 'http://a.x.test/', false],
    ['est', 'http://x.test/', true],
    ['a.test, x.test', 'http://x.test/', false],
    ['a.test x.test', 'http://x.test/', false],
    ['x.test:80', 'http://x.test/', false],
    ['x.test:443', 'https://x.test/', false],
    ['x.test:81', 'http://x.test/', true],
    ['x.test:81', 'http://x.test:81/', false],
    ['10.1.1.1', 'http://10.1.1.1/', false],
    ['[::9]', 'http://[::9]/', false],
    [',', 'http://x.test/', true],
  ]
  test.each(lists)('NO_PROXY=%s: it leads %s: %p', (noProxy, url, isLed) => {
    expect(leads({ all_proxy: 'http://proxy.test:3128', NO_PROXY: noProxy }, url)).toBe(isLed)
  })
})
