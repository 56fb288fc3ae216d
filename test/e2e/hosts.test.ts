import { afterAll, expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { openRaw } from './raw-client.ts'

const gateway = await startBinary({
  config: (listen) => tollgateYaml({ listen, upstream: 'http://127.0.0.1:9' }),
})
afterAll(() => gateway.stop())

const statusFor = (path: string, ...hosts: readonly string[]) => statusOf('1.1', path, hosts)

async function statusOf(
  version: '1.0' | '1.1',
  path: string,
  hosts: readonly string[],
): Promise<number> {
  using connection = await openRaw(Number(new URL(gateway.url).port))
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
  connection.socket.write(`GET ${path} HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`)
  return (await connection.answer()).status
}

test.each([
  'a',
  'gw',
  'abc',
  'gw:80',
  'gateway.example',
  'my_gateway-2.',
  '[::1]:8080',
  '127.0.0.1',
])('a host %s is routed as any other', async (host) => {
  expect(await statusFor('/console', host)).toBe(200)
  expect(await statusFor('/console/tokens/1', host)).toBe(200)
  expect(await statusFor('/v1/models', host)).toBe(401)
})

const paths = [
  ...['/livez', '/readyz', '/metrics', '/status', '/docs', '/docs/json', '/console', '/nowhere'],
  ...['/v1/models', '/v1beta/models', '/api/v1/me', '/api/v1/status', '/api/v1/model-plaza'],
  ...['/pricing/provider-pricing.json', '/schemas/feed.json'],
]
test.each([
  '[',
  '[::1',
  '[x]',
  'a b',
  'a@b',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
  'a:b',
  'a:99999',
  '1.2.3.999',
  '[:::::]',
  ':',
  '',
  'a,b',
])('what is no host, %p, is refused on all paths, and is no fault of the gateway', async (host) => {
  for (const path of paths) expect([path, await statusFor(path, host)]).toEqual([path, 400])
  expect(gateway.stderr.join('')).toBe('')
})

test('two Host lines are refused', async () => {
  expect(await statusFor('/v1/models', 'a.example', 'b.example')).toBe(400)
  expect(await statusFor('/console', 'a.example', 'b.example')).toBe(400)
})

test('without a host, as HTTP/1.0 allows, health checks alone are answered', async () => {
  const expected = (path: string) => (path === '/livez' || path === '/readyz' ? 200 : 400)
  for (const path of ['/', '/models', '/sitemap.xml', '/docs/search?q=a', ...paths])
    expect([path, await statusOf('1.0', path, [])]).toEqual([path, expected(path)])
  expect(gateway.stderr.join('')).toBe('')
  expect(await statusOf('1.0', '/v1/models', ['gateway.example'])).toBe(401)
})
