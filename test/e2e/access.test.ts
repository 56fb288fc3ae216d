import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { rawCall } from './raw-client.ts'
import { vendorAnswer } from './vendor-answers.ts'

/** One token for each allow-list. */
const lists = {
  v4: ['198.51.100.7'],
  blocks: ['198.51.100.0/24', '192.0.2.128/25'],
  v6: ['2001:db8::7'],
  v6block: ['2001:db8:1::/48'],
  mapped: ['::ffff:198.51.100.7'],
  mappedBlock: ['::ffff:198.51.100.0/120'],
  mixed: ['2001:db8::7', '198.51.100.7'],
  any4: ['0.0.0.0/0'],
  any6: ['::/0'],
  here: ['127.0.0.1'],
  here6: ['::1'],
} as const
type List = keyof typeof lists

const keyOf = (list: List) => `sk-access-${list}-0123456789`
const tokens = Object.entries(lists).map(([name, ip_allow]) => ({
  name,
  key: keyOf(name as List),
  group: 'default',
  ip_allow,
}))

const upstream = startFakeUpstream(vendorAnswer)
/** Nobody in front; proxies in front; and both families on one socket, where IPv4 comes mapped. */
let bare: RunningBinary
let proxied: RunningBinary
let dual: RunningBinary | undefined
const hasV6 = Object.values(networkInterfaces()).some((found) =>
  found?.some(({ address }) => address === '::1'),
)
const trusted = ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8:ffff::/48']

beforeAll(async () => {
  const start = (server: object, address = '127.0.0.1') =>
    startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) =>
        tollgateYaml({
          listen: listen.replace('127.0.0.1', address),
          upstream: upstream.url,
          server,
          moreAccounts: [{ email: 'lists@example.com', balance: 10, tokens }],
        }),
    })
  const proxies = { trusted_proxies: trusted }
  const starting = [start({}), start(proxies), hasV6 ? start(proxies, '[::]') : undefined] as const
  ;[bare, proxied, dual] = await Promise.all(starting)
})
afterAll(async () => {
  await Promise.all([bare.stop(), proxied.stop(), dual?.stop()])
  await upstream.stop()
})

type Header = readonly [string, string]

/** 'in', or the address that the refusal names. */
async function ask(to: RunningBinary, list: List, headers: readonly Header[], address?: string) {
  const call = { path: '/v1/models', headers: [['x-api-key', keyOf(list)] as const, ...headers] }
  const { status, body, headers: got } = await rawCall(to.port, call, address)
  if (status === 200) return 'in'
  expect([status, got.get('x-tollgate-reason')]).toEqual([403, 'ip_not_allowed'])
  return /may not be used from (\S+): /.exec(body)?.[1]
}

const forwarded = (value: string): Header => ['X-Forwarded-For', value]

describe('behind a trusted proxy', () => {
  /** The list, the header, and who the client is found to be: 'in' or the refused address. */
  const rows: readonly (readonly [List, string, string])[] = [
    ['v4', '198.51.100.7', 'in'],
    ['v4', '198.51.100.8', '198.51.100.8'],
    ['v4', '  198.51.100.7  ', 'in'],
    ['v4', '203.0.113.9, 198.51.100.7', 'in'],
    ['v4', '198.51.100.7, 203.0.113.9', '203.0.113.9'],
    ['v4', '198.51.100.7,203.0.113.9', '203.0.113.9'],
    ['v4', '198.51.100.7, 10.0.0.1, 10.255.0.1', 'in'],
    ['v4', '198.51.100.7, 11.0.0.1, 10.255.0.1', '11.0.0.1'],
    ['v4', '198.51.100.7, 2001:db8:ffff::1', 'in'],
    ['v4', '198.51.100.7, ::ffff:10.0.0.1', 'in'],
    ['v4', '::ffff:198.51.100.7', 'in'],
    ['v4', '::ffff:c633:6407', 'in'],
    ['v4', 'nonsense', '127.0.0.1'],
    ['v4', '198.51.100.7, nonsense', '127.0.0.1'],
    ['v4', '198.51.100.7, nonsense, 10.0.0.1', '127.0.0.1'],
    ['v4', '', '127.0.0.1'],
    ['v4', ',', '127.0.0.1'],
    ['v4', '198.51.100.7,', '127.0.0.1'],
    ['v4', '198.51.100.7, unknown', '127.0.0.1'],
    ['v4', 'for=198.51.100.7', '127.0.0.1'],
    ['v4', '10.0.0.5, 10.0.0.6', '10.0.0.5'],
    ['blocks', '198.51.100.0', 'in'],
    ['blocks', '198.51.100.255', 'in'],
    ['blocks', '198.51.101.0', '198.51.101.0'],
    ['blocks', '192.0.2.127', '192.0.2.127'],
    ['blocks', '192.0.2.128', 'in'],
    ['v6', '2001:db8::7', 'in'],
    ['v6', '2001:0DB8:0:0:0:0:0:7', 'in'],
    ['v6', '2001:db8::8', '2001:db8::8'],
    ['v6', '198.51.100.7', '198.51.100.7'],
    ['v6block', '2001:db8:1:ffff::1', 'in'],
    ['v6block', '2001:db8:2::1', '2001:db8:2::1'],
    ['mapped', '198.51.100.7', 'in'],
    ['mapped', '::ffff:198.51.100.7', 'in'],
    ['mapped', '198.51.100.8', '198.51.100.8'],
    ['mappedBlock', '198.51.100.200', 'in'],
    ['mappedBlock', '198.51.99.200', '198.51.99.200'],
    ['mixed', '2001:db8::7', 'in'],
    ['mixed', '198.51.100.7', 'in'],
    ['any4', '203.0.113.9', 'in'],
    ['any4', '2001:db8::9', '2001:db8::9'],
    ['any6', '2001:db8::9', 'in'],
    ['any6', '203.0.113.9', '203.0.113.9'],
    ['here', '198.51.100.7', '198.51.100.7'],
  ]
  test.each(rows)('list %s, X-Forwarded-For: %p: %s', async (list, value, found) => {
    expect(await ask(proxied, list, [forwarded(value)])).toBe(found)
  })

  test('a header that came in several lines is one list', async () => {
    const one = forwarded('198.51.100.7')
    const other = forwarded('203.0.113.9')
    expect(await ask(proxied, 'v4', [other, one])).toBe('in')
    expect(await ask(proxied, 'v4', [one, other])).toBe('203.0.113.9')
  })

  test('without the header the proxy itself is the client', async () => {
    expect(await ask(proxied, 'here', [])).toBe('in')
    expect(await ask(proxied, 'v4', [])).toBe('127.0.0.1')
  })
})

describe('without a trusted proxy', () => {
  test('X-Forwarded-For is not believed', async () => {
    expect(await ask(bare, 'v4', [forwarded('198.51.100.7')])).toBe('127.0.0.1')
    expect(await ask(bare, 'here', [forwarded('198.51.100.7')])).toBe('in')
  })
})

describe('no other header is ever believed', () => {
  const forged = [
    ['Forwarded', 'for=198.51.100.7'],
    ['X-Real-IP', '198.51.100.7'],
    ['CF-Connecting-IP', '198.51.100.7'],
    ['True-Client-IP', '198.51.100.7'],
    ['X-Client-IP', '198.51.100.7'],
    ['X-Cluster-Client-IP', '198.51.100.7'],
    ['Fastly-Client-IP', '198.51.100.7'],
    ['X-Original-Forwarded-For', '198.51.100.7'],
    ['X-Forwarded', 'for=198.51.100.7'],
    ['X-Forwarded-Host', '198.51.100.7'],
    ['Client-IP', '198.51.100.7'],
    ['Via', '1.1 198.51.100.7'],
  ] as const
  test.each(forged)('%s', async (name, value) => {
    const header = [name, value] as const
    for (const to of [bare, proxied]) {
      expect(await ask(to, 'v4', [header])).toBe('127.0.0.1')
      expect(await ask(to, 'here', [header])).toBe('in')
    }
  })
})

describe.if(hasV6)('on a socket of both families', () => {
  const both = () => dual as RunningBinary

  test('an IPv4 client comes mapped, and is its IPv4 address', async () => {
    expect(await ask(both(), 'here', [])).toBe('in')
    expect(await ask(both(), 'here6', [])).toMatch(/127\.0\.0\.1$/)
    expect(await ask(both(), 'any4', [])).toBe('in')
    expect(await ask(both(), 'any6', [])).toMatch(/127\.0\.0\.1$/)
  })

  test('an IPv6 client is its own', async () => {
    expect(await ask(both(), 'here6', [], '::1')).toBe('in')
    expect(await ask(both(), 'any6', [], '::1')).toBe('in')
    expect(await ask(both(), 'here', [], '::1')).toBe('::1')
    expect(await ask(both(), 'any4', [], '::1')).toBe('::1')
  })

  test('a proxy of either family is trusted', async () => {
    for (const address of ['127.0.0.1', '::1']) {
      expect(await ask(both(), 'v4', [forwarded('198.51.100.7')], address)).toBe('in')
      expect(await ask(both(), 'v4', [forwarded('203.0.113.9')], address)).toBe('203.0.113.9')
    }
  })
})

test('a model endpoint refuses by address before it looks at the body', async () => {
  const headers = [['x-api-key', keyOf('v4')] as const]
  for (const path of ['/v1/chat/completions', '/v1/messages', '/v1beta/models/m:generateContent']) {
    const answer = await rawCall(bare.port, { method: 'POST', path, headers, body: '{' })
    expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
      403,
      'ip_not_allowed',
    ])
  }
  expect(upstream.requests.length).toBe(0)
})
