import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { ConnectTimeout, isPublic } from '../../../src/gateway/outbound/dial.ts'
import {
  AddressRefused,
  createOutbound,
  HostNotFound,
  type OutboundCall,
} from '../../../src/gateway/outbound/outbound.ts'
import { startTwoHosts } from './two-hosts.ts'

const callTo = (url: string, details: Partial<OutboundCall> = {}): OutboundCall => ({
  ...{ url, method: 'GET', headers: {}, body: undefined, signal: AbortSignal.timeout(60_000) },
  ...{ allowPrivate: false, connectMs: 1_000, ...details },
})

/** A resolver that gives one answer after the other, the last one for ever. */
function answering(...answers: readonly (readonly string[])[]) {
  let at = 0
  return {
    resolve: async () => answers[Math.min(at++, answers.length - 1)] ?? [],
    times: () => at,
  }
}

const callers: readonly (readonly [whose: string, isForeign: boolean])[] = [
  ['the operator', false],
  ['a client', true],
]

describe.each(callers)('an address that %s has named', (_whose, isForeign) => {
  test('X1: the connection goes to the address that was checked, not to where the name leads next', async () => {
    await using hosts = await startTwoHosts()
    // The system itself would find `localhost` at the private address.
    const { resolve, times } = answering([hosts.publicAddress], [hosts.privateAddress])
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const url = `http://localhost:${hosts.port}/file`
    const response = await outbound(callTo(url, { isForeign, headers: { 'x-own': 'kept' } }))
    expect(await response.text()).toBe('public')
    expect(hosts.asked.map(({ headers }) => [headers.get('host'), headers.get('x-own')])).toEqual([
      [`localhost:${hosts.port}`, 'kept'],
    ])
    expect(times()).toBe(1)
    expect(hosts.privateConnections()).toBe(0)
  })

  test('X1: a name that leads to a private address later is refused then, before any connection', async () => {
    await using hosts = await startTwoHosts()
    const { resolve } = answering([hosts.publicAddress], [hosts.privateAddress])
    const parts = { resolve, isPublic: hosts.isPublic, env: {}, verdictMs: 1 }
    const outbound = createOutbound(parts)
    const call = callTo(`http://localhost:${hosts.port}/`, { isForeign })
    await (await outbound(call)).text()
    await Bun.sleep(5)
    await expect(outbound(call)).rejects.toBeInstanceOf(AddressRefused)
    expect(hosts.privateConnections()).toBe(0)
  })

  test('X1: one private address among public ones is enough for a refusal', async () => {
    await using hosts = await startTwoHosts()
    const { resolve } = answering([hosts.publicAddress, hosts.privateAddress])
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    for (const _time of ['at first', 'and again']) {
      const calling = outbound(callTo(`http://localhost:${hosts.port}/`, { isForeign }))
      await expect(calling).rejects.toBeInstanceOf(AddressRefused)
    }
    expect(hosts.privateConnections() + hosts.asked.length).toBe(0)
  })

  test('connections are kept and used again, also when the addresses change their order', async () => {
    await using hosts = await startTwoHosts()
    const { resolve, times } = answering(
      [hosts.publicAddress, hosts.privateAddress],
      [hosts.privateAddress, hosts.publicAddress],
    )
    const outbound = createOutbound({ resolve, isPublic: () => true, env: {}, verdictMs: 1 })
    for (let calls = 0; calls < 3; calls++) {
      const call = callTo(`http://localhost:${hosts.port}/`, { isForeign })
      expect(await (await outbound(call)).text()).toBe('public')
      await Bun.sleep(5)
    }
    expect(times()).toBe(3)
    expect(hosts.callerPorts.size).toBe(1)
    expect(hosts.privateConnections()).toBe(0)
  })

  test('a name without an address, and one that nobody answers for, are told as that', async () => {
    const call = callTo('http://nowhere.test/', { isForeign, connectMs: 20 })
    const empty = createOutbound({ resolve: async () => [], env: {} })
    await expect(empty(call)).rejects.toBeInstanceOf(HostNotFound)
    const silent = createOutbound({ resolve: () => new Promise(() => {}), env: {} })
    await expect(silent(call)).rejects.toBeInstanceOf(ConnectTimeout)
  })

  test('X1: what one call may reach, another one may not: only public addresses are remembered', async () => {
    await using hosts = await startTwoHosts()
    const { resolve } = answering([hosts.privateAddress])
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const call = callTo(`http://localhost:${hosts.port}/`, { isForeign })
    expect(await (await outbound({ ...call, allowPrivate: true })).text()).toBe('private')
    await expect(outbound(call)).rejects.toBeInstanceOf(AddressRefused)
  })

  test('X1: localhost, looked up as usual, is refused', async () => {
    const calling = createOutbound({ env: {} })(callTo('http://localhost:1/', { isForeign }))
    await expect(calling).rejects.toBeInstanceOf(AddressRefused)
  })
})

describe('a proxy of the environment', () => {
  test('looks up the names of channels, but not those that clients name', async () => {
    await using hosts = await startTwoHosts()
    const { resolve } = answering([hosts.publicAddress])
    const env = { http_proxy: 'http://127.0.0.1:9' }
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env })
    const url = `http://localhost:${hosts.port}/`
    expect(await (await outbound(callTo(url))).text()).toBe('private')
    expect(await (await outbound(callTo(url, { isForeign: true }))).text()).toBe('public')
  })
})

describe('a compressed body', () => {
  const ways = [
    ['unpacked for a channel', false],
    ['as it was sent for an address that a client named', true],
  ] as const
  test.each(ways)('comes %s', async (_way, isForeign) => {
    const packed = gzipSync('content')
    const headers = { 'content-encoding': 'gzip' }
    await using hosts = await startTwoHosts(() => new Response(packed, { headers }))
    const { resolve } = answering([hosts.publicAddress])
    const outbound = createOutbound({ resolve, isPublic: hosts.isPublic, env: {} })
    const response = await outbound(callTo(`http://localhost:${hosts.port}/`, { isForeign }))
    const expected = isForeign ? packed : Buffer.from('content')
    expect(Buffer.from(await response.bytes())).toEqual(expected)
  })
})

test('X1: the certificate must be the one of the name, although the address is called', async () => {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/outbound-tls.ts`], {
    env: {
      ...process.env,
      NODE_EXTRA_CA_CERTS: `${import.meta.dir}/../../fixtures/tls/ca.pem`,
    },
    stdout: 'pipe',
  })
  const wrong = 'ERR_TLS_CERT_ALTNAME_INVALID'
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    results: [
      ['media.test', 'media.test', 'media.test'],
      ['media.test', 'media.test', 'media.test'],
      ['media.test.', 'media.test.', 'media.test.'],
      ['other.test', wrong, wrong],
      ['127.0.0.1', wrong, wrong],
    ],
    connections: 1,
  })
})

const privateHosts = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '①②⑦.0.0.1'],
  ...['0', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254'],
  ...['100.100.100.200', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['168.63.129.16', '[::ffff:168.63.129.16]'],
  ...['[::]', '[::1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[fe80::1]'],
  ...['[fd00:ec2::254]', '[fec0::1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]'],
]

describe('address', () => {
  test.each(privateHosts)(
    'X1: http://%s is refused without a look at any resolver',
    async (host) => {
      const { resolve, times } = answering(['8.8.8.8'])
      const outbound = createOutbound({ resolve, env: {} })
      await expect(outbound(callTo(`http://${host}:9/`))).rejects.toBeInstanceOf(AddressRefused)
      expect(times()).toBe(0)
    },
  )

  test.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700::1111'])('%s is public', (host) => {
    expect(isPublic(host)).toBe(true)
  })
})
