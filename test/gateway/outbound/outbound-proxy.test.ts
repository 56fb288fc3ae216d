import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { classifyFailure } from '../../../src/gateway/failures/failures.ts'
import { ConnectTimeout, ProxyRefused } from '../../../src/gateway/outbound/dial.ts'
import {
  AddressRefused,
  createOutbound,
  type OutboundCall,
} from '../../../src/gateway/outbound/outbound.ts'
import { startFakeUpstream } from '../../support/fake-upstream.ts'
import {
  type ForwardProxy,
  proxySecrets,
  saying,
  saysNothing,
  startForwardProxy,
} from '../../support/forward-proxy.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { fullServer } from './full-server.ts'
import { startTwoHosts } from './two-hosts.ts'

const callTo = (url: string, details: Partial<OutboundCall> = {}): OutboundCall => ({
  ...{ url, method: 'GET', headers: {}, body: undefined, signal: AbortSignal.timeout(60_000) },
  ...{ allowPrivate: false, connectMs: 1_000, ...details },
})

/** What a call fails with; nothing in it tells the proxy's password. */
async function failureOf(calling: Promise<Response>): Promise<Error> {
  const error = await calling.then(
    (response) => new Error(`It was answered with ${response.status}.`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Error)) throw new Error(`No error: ${error}`)
  const shown = [Bun.inspect(error), error.stack, JSON.stringify(error), String(error.cause)]
  for (const secret of proxySecrets) expect(shown.join('\n')).not.toContain(secret)
  return error
}

let proxy: ForwardProxy
let lookups: number
const resolve = async () => {
  lookups++
  return ['127.0.0.1']
}
beforeEach(async () => {
  lookups = 0
  proxy = await startForwardProxy()
})
afterEach(() => proxy[Symbol.asyncDispose]())

describe('a channel’s proxy', () => {
  test('looks the name up, which is not done here, and gets its user and password', async () => {
    await using upstream = startFakeUpstream(({ headers }) => Response.json(headers.get('host')))
    const { port } = new URL(upstream.url)
    const call = callTo(`http://api.test:${port}/v1?a=b`, { proxy: proxy.url })
    const response = await createOutbound({ resolve, env: {} })({
      ...call,
      ...{ method: 'POST', body: new TextEncoder().encode('{}'), headers: { 'x-own': 'kept' } },
    })
    expect(await response.json()).toBe(`api.test:${port}`)
    const { method, path, headers } = upstream.last()
    expect([method, path, headers.get('x-own'), upstream.last().text()]).toEqual([
      ...['POST', '/v1?a=b', 'kept', '{}'],
    ])
    expect(proxy.asked).toEqual([`POST http://api.test:${port}/v1?a=b HTTP/1.1`])
    expect(lookups).toBe(0)
  })

  test('is used although the environment names another one, or has the host in NO_PROXY', async () => {
    await using upstream = startFakeUpstream(() => new Response('upstream'))
    const before = { ...process.env }
    Object.assign(process.env, { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' })
    try {
      const url = upstream.url.replace('127.0.0.1', 'api.test')
      const outbound = createOutbound({ resolve, env: process.env })
      expect(await (await outbound(callTo(url, { proxy: proxy.url }))).text()).toBe('upstream')
    } finally {
      for (const name of ['HTTP_PROXY', 'NO_PROXY']) delete process.env[name]
      Object.assign(process.env, before)
    }
    expect(proxy.asked.length).toBe(1)
  })

  test('is not what an address goes by that a client has named', async () => {
    await using hosts = await startTwoHosts()
    const found = async () => [hosts.publicAddress]
    const outbound = createOutbound({ resolve: found, isPublic: hosts.isPublic, env: {} })
    const call = callTo(`http://localhost:${hosts.port}/`, { isForeign: true, proxy: proxy.url })
    expect(await (await outbound(call)).text()).toBe('public')
    expect(proxy.connections()).toBe(0)
  })

  test('redirects are not followed', async () => {
    const headers = { location: 'http://127.0.0.1/' }
    await using upstream = startFakeUpstream(() => new Response(null, { status: 302, headers }))
    const url = upstream.url.replace('127.0.0.1', 'api.test')
    const response = await createOutbound({ env: {} })(callTo(url, { proxy: proxy.url }))
    expect([response.status, upstream.requests.length]).toEqual([302, 1])
  })

  test('connections are kept: 50 calls take one, and one to see whether the proxy is there', async () => {
    await using upstream = startFakeUpstream(() => new Response('upstream'))
    const url = upstream.url.replace('127.0.0.1', 'api.test')
    const outbound = createOutbound({ env: {} })
    for (let calls = 0; calls < 50; calls++) {
      await (await outbound(callTo(url, { proxy: proxy.url }))).text()
    }
    expect([upstream.requests.length, proxy.connections()]).toEqual([50, 2])
  })

  const plainlyPrivate = [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '10.0.0.1'],
    ...['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16'],
    ...['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', '0'],
  ]
  test.each(plainlyPrivate)('X1: http://%s is refused before the proxy is called', async (host) => {
    const outbound = createOutbound({ env: {} })
    for (const scheme of ['http', 'https']) {
      const call = callTo(`${scheme}://${host}:9/`, { proxy: proxy.url })
      expect(await failureOf(outbound(call))).toBeInstanceOf(AddressRefused)
    }
    expect(proxy.connections()).toBe(0)
  })

  test('takes calls to private addresses of a channel that may make them', async () => {
    await using upstream = startFakeUpstream(() => new Response('upstream'))
    const call = callTo(upstream.url, { proxy: proxy.url, allowPrivate: true })
    expect(await (await createOutbound({ env: {} })(call)).text()).toBe('upstream')
    expect(proxy.asked.length).toBe(1)
  })
})

describe('a proxy that fails', () => {
  const says: readonly (readonly [what: string, answer: string])[] = [
    ['wants another password', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'],
    ['forbids the host', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'],
    ['can’t reach the host', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'],
    ['redirects', 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n'],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['answers without end', 'x'.repeat(20_000)],
    ['closes', ''],
  ]
  test.each(says)('%s, asked for a tunnel: no connection', async (_what, answer) => {
    proxy.script(saying(answer))
    const outbound = createOutbound({ env: {} })
    const calling = outbound(callTo('https://api.test/', { proxy: proxy.url }))
    const error = await failureOf(calling)
    expect(error).toBeInstanceOf(ProxyRefused)
    expect(classifyFailure(error)).toBe('connect_failed')
  })

  test('refuses a tunnel that it gave before: no connection, and it is asked anew', async () => {
    proxy.script(saying('HTTP/1.1 200 OK\r\n\r\n'))
    const outbound = createOutbound({ env: {} })
    const call = callTo('https://api.test/', { proxy: proxy.url })
    await failureOf(outbound(call))
    expect(proxy.connections()).toBe(2)
    let times = 0
    proxy.script((socket) => {
      times++
      saying(times === 1 ? 'HTTP/1.1 200 OK\r\n\r\n' : 'HTTP/1.1 503 Full\r\n\r\n')(socket)
    })
    const error = await failureOf(outbound(call))
    expect(error).toBeInstanceOf(ProxyRefused)
    expect(error.message).toBe('the proxy opens no tunnel: 503')
    expect(times).toBe(2)
  })

  test('wants another password for a plain call: its 407 is not taken for the host’s', async () => {
    const wrong = proxy.url.replace('p%40ss', 'other')
    const outbound = createOutbound({ env: {} })
    const error = await failureOf(outbound(callTo('http://api.test/', { proxy: wrong })))
    expect(error).toBeInstanceOf(ProxyRefused)
    expect(classifyFailure(error)).toBe('connect_failed')
  })

  test('never answers, asked for a tunnel: the limit of time for connecting holds', async () => {
    proxy.script(saysNothing)
    const call = callTo('https://api.test/', { proxy: proxy.url, connectMs: 150 })
    const error = await failureOf(createOutbound({ env: {} })(call))
    expect(error).toBeInstanceOf(ConnectTimeout)
    expect(classifyFailure(error)).toBe('timeout_connect')
  })

  test.each(['http', 'https'])('takes no connections: so it does for %s', async (scheme) => {
    await using full = await fullServer()
    const proxyUrl = `http://jane:p%40ss%2Fword@${full.url.host}`
    const call = callTo(`${scheme}://api.test/`, { proxy: proxyUrl, connectMs: 150 })
    expect(await failureOf(createOutbound({ env: {} })(call))).toBeInstanceOf(ConnectTimeout)
  })

  test('wants TLS and does not greet: so it does there', async () => {
    proxy.script(saysNothing)
    const proxyUrl = proxy.url.replace('http:', 'https:')
    const call = callTo('http://api.test/', { proxy: proxyUrl, connectMs: 150 })
    expect(await failureOf(createOutbound({ env: {} })(call))).toBeInstanceOf(ConnectTimeout)
  })

  test('is not there, or has no address: no connection', async () => {
    const { url } = proxy
    await proxy[Symbol.asyncDispose]()
    const outbound = createOutbound({ env: {} })
    for (const address of [url, url.replace('127.0.0.1', 'nowhere.invalid')]) {
      const error = await failureOf(outbound(callTo('https://api.test/', { proxy: address })))
      expect(classifyFailure(error)).toBe('connect_failed')
    }
    proxy = await startForwardProxy()
  })

  test.each(['socks5://jane:p%40ss%2Fword@127.0.0.1:1', 'http://jane:p%40ss%2Fword@', '127.0.0.1'])(
    'is no HTTP proxy: %s',
    async (address) => {
      const error = await failureOf(
        createOutbound({ env: {} })(callTo('https://api.test/', { proxy: address })),
      )
      expect(error).toBeInstanceOf(ProxyRefused)
    },
  )
})

test('X1: by a tunnel the certificate must be the one of the name, and the proxy’s its own', async () => {
  using dir = createTempDir()
  const pem = (name: string) => Bun.file(`${import.meta.dir}/../../fixtures/tls/${name}`).text()
  await Bun.write(dir.join('ca.pem'), `${await pem('ca.pem')}\n${await pem('local.pem')}`)
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/outbound-proxy-tls.ts`], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: dir.join('ca.pem') },
    stdout: 'pipe',
  })
  const wrongName = 'ERR_TLS_CERT_ALTNAME_INVALID'
  expect(JSON.parse(await child.stdout.text())).toEqual({
    results: [
      ['media.test', 'http proxy', 'media.test'],
      ['other.test', 'http proxy', wrongName],
      ['media.test', 'https proxy', 'media.test'],
      ['other.test', 'https proxy', wrongName],
      ['media.test', 'https proxy of another name', wrongName],
    ],
    // One call that only dials, and one for all 50.
    fiftyCalls: { 'http proxy': 2, 'https proxy': 2 },
  })
})

test('X1: what NO_PROXY keeps from a proxy of the environment goes to the address that was checked', async () => {
  await using hosts = await startTwoHosts()
  const before = { ...process.env }
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost' }
  Object.assign(process.env, env)
  try {
    const found = async () => [hosts.publicAddress]
    const outbound = createOutbound({ resolve: found, isPublic: hosts.isPublic, env })
    const url = `http://localhost:${hosts.port}/`
    expect(await (await outbound(callTo(url))).text()).toBe('public')
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
  expect([hosts.privateConnections(), proxy.connections()]).toEqual([0, 0])
})
